# SPDX-License-Identifier: GPL-2.0
#
# What left per tick, both qdiscs in one picture, and below how much that is more
# or less than in the tick before. Variables come from labels.gp and demo/run.

set multiplot
set style line 1 lc rgb '#c0392b' lw 2.5
set style line 2 lc rgb '#1f5fa8' lw 3
set style line 3 lc rgb '#777777' lw 1 dt 2
set border 3 lc rgb '#444444'
set tics nomirror
set grid ytics lc rgb '#dddddd' lw 1
set xrange [-0.4:end + 3]
set lmargin at screen 0.085
set rmargin at screen 0.975

set tmargin at screen 0.90
set bmargin at screen 0.42
set title "{/:Bold An idle 1 Gbit/s link gets its full load at once}\n{/*0.85 egress per ".sprintf('%g', tick)." ms, as the receiver captured it; tc qdisc add ... ramp, and nothing named but the rate}" offset 0,0.3
set ylabel 'egress [Mbit/s]' offset 0.5
set yrange [0:1240]
set ytics 200
set format x ''
set key at end / 2, 700 center top Left reverse samplen 2 spacing 1.3 noautotitle noenhanced

set arrow 1 from begin, graph 0 to begin, graph 1 nohead ls 3
set arrow 2 from end, graph 0 to end, graph 1 nohead ls 3
set label 1 'load begins' at begin + 0.08, 1190 tc rgb '#555555'
set label 2 'load ends' at end - 0.08, 1190 right tc rgb '#555555'
set label 3 "the queue\ndrains" at end + 0.75, 500 tc rgb '#1f5fa8'
set label 4 (lost ? sprintf('%d packets lost', lost) : 'no packet lost by either').sprintf('; ramp delays by at most %.1f ms', delay) at (end / 2), 80 center tc rgb '#555555'

plot data.'/default.dat' using ($1 + tick / 2):2 with steps ls 1 title plain.' (the default)', \
     data.'/ramp.dat' using ($1 + tick / 2):2 with steps ls 2 title 'ramp'

unset title
unset label
unset arrow
set tmargin at screen 0.38
set bmargin at screen 0.09
set format x '%g'
set xlabel 'time since the load began [ms]'
set ylabel "change from tick to tick\n[Mbit/s]" offset 0.5
set yrange [-1190:1190]
set ytics 500
set key off
set arrow 1 from begin, graph 0 to begin, graph 1 nohead ls 3
set arrow 2 from end, graph 0 to end, graph 1 nohead ls 3
set label 1 sprintf('%s: +%.0f', plain, plain_rise) at 0.3, 850 noenhanced tc rgb '#c0392b'
set label 2 sprintf('ramp: at most +%.0f', ramp_rise) at 0.6, 300 tc rgb '#1f5fa8'
change(y) = (d = y - last, last = y, d)
last = 0
plot last = 0, data.'/default.dat' using ($1 + tick / 4):(change($2)) with impulses ls 1 lw 3, \
     last = 0, data.'/ramp.dat' using ($1 + tick * 3 / 4):(change($2)) with impulses ls 2 lw 3
unset multiplot
