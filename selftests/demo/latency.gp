# SPDX-License-Identifier: GPL-2.0
#
# What frames waited, under a load that rises and falls, on two lines. Variables come from
# demo/run.

set multiplot
set style line 1 lc rgb '#9aa5b1' lw 5
set style line 2 lc rgb '#c0392b' lw 2
set style line 3 lc rgb '#1f5fa8' lw 2.5
set style line 4 lc rgb '#777777' lw 2
set border 3 lc rgb '#444444'
set tics nomirror
set grid ytics lc rgb '#dddddd' lw 1
set xrange [0:14]
set xtics 2
set lmargin at screen 0.095
set rmargin at screen 0.975
set format x ''

set tmargin at screen 0.90
set bmargin at screen 0.76
set title "{/:Bold What a packet waits under load}\n{/*0.85 longest wait in each 0.05 ms, by the time it was sent; packets of 1514 bytes; tc qdisc add ... ramp, and nothing named but the rate}" offset 0,0.3
set ylabel "load\n[% of line]" offset 0.5
set yrange [0:115]
set ytics 50
set key off
set label 1 'burst of 44 packets' at 11.1, 62 tc rgb '#555555'
set arrow 1 from 11, 10 to 11, 100 nohead ls 4
$load << EOD
0 10
2 10
2 90
8 90
8 10
14 10
EOD
plot $load using 1:2 with lines ls 4
unset title
unset label
unset arrow

set key top left Left reverse samplen 2 spacing 1.2 noautotitle noenhanced
set ytics auto
set tmargin at screen 0.72
set bmargin at screen 0.43
set ylabel "wait [ms]\n1 Gbit/s" offset 0.5
set yrange [0:*]
plot data.'/latency-pfifo-1gbit.dat' with steps ls 1 title 'pfifo', \
     data.'/latency-fq_codel-1gbit.dat' with steps ls 2 title 'fq_codel', \
     data.'/latency-ramp-1gbit.dat' with steps ls 3 title 'ramp'

set key off
set tmargin at screen 0.39
set bmargin at screen 0.10
set format x '%g'
set xlabel 'time since the load began [ms]'
set ylabel "wait [ms]\n10 Gbit/s" offset 0.5
plot data.'/latency-pfifo-10gbit.dat' with steps ls 1, \
     data.'/latency-fq_codel-10gbit.dat' with steps ls 2, \
     data.'/latency-ramp-10gbit.dat' with steps ls 3
unset multiplot
