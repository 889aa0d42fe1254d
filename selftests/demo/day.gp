# SPDX-License-Identifier: GPL-2.0
#
# A day with gears: what comes and what the gear carries, which gear it is, and the
# power. Variables come from day-labels.gp and demo/run.

set multiplot
set style line 1 lc rgb '#777777' lw 2.5
set style line 2 lc rgb '#1f5fa8' lw 3
set style line 3 lc rgb '#c0392b' lw 2.5
set style line 4 lc rgb '#8fb6df' lw 1
set border 3 lc rgb '#444444'
set tics nomirror
set grid ytics lc rgb '#dddddd' lw 1
set xrange [0:24]
set xtics 3
set lmargin at screen 0.085
set rmargin at screen 0.975

set tmargin at screen 0.90
set bmargin at screen 0.57
set title "{/:Bold A port with gears, for a day: it runs only as fast as its traffic needs}\n{/*0.85 rates and clocks of NetFridgeS, divided by 10000; one second for an hour}" offset 0,0.3
set ylabel 'traffic [Mbit/s]' offset 0.5
set yrange [0:top * 1.15]
set format x ''
set key top left Left reverse samplen 2 spacing 1.2 noautotitle
plot data.'/day.dat' using 1:3 with fillsteps fs solid 0.25 noborder lc rgb '#1f5fa8' title 'rate of the gear, mean of 6 minutes', \
     data.'/day.dat' using ($1 + 0.05):2 with lines ls 2 title 'sent', \
     data.'/day-load.dat' using 1:2 with lines ls 1 dt 2 title 'offered'

unset title
unset key
set tmargin at screen 0.53
set bmargin at screen 0.37
set ylabel 'gear' offset 0.5
set yrange [-0.3:gears - 0.7]
set ytics 1
set label 1 sprintf('%d changes, %s', changes, lost ? sprintf('%d packets lost', lost) : 'no packet lost') at 0.3, gears - 1.1 tc rgb '#555555'
plot data.'/day-gears.dat' using 1:2 with lines ls 4

unset label
set tmargin at screen 0.33
set bmargin at screen 0.09
set format x '%g:00'
set xlabel 'hour of the day'
set ylabel 'power, modelled [W]' offset 0.5
set yrange [0:118]
set ytics 20
set arrow 1 from 0, 100 to 24, 100 nohead ls 3
set label 1 'without gears: 100 W, 2400 Wh' at 0.3, 107 tc rgb '#c0392b'
set label 2 sprintf('with gears: %d Wh, %.1f %% less', taken, saved) at 0.3, 12 front tc rgb '#1f5fa8'
plot data.'/day.dat' using 1:4 with fillsteps fs solid 0.25 noborder lc rgb '#1f5fa8', \
     data.'/day.dat' using 1:4 with steps ls 2
unset multiplot
