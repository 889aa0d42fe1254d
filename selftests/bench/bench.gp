# SPDX-License-Identifier: GPL-2.0
#
# What the benches measured, in one picture. What does not grow (by bands, gears, ports) is
# in the text of bench.rst only. The variable data comes from selftests/bench/run.

set multiplot layout 2,3 title "{/:Bold What Ramp costs, compared with others (Ramp is blue)}" offset 0,-0.2
set border 3 lc rgb '#444444'
set tics nomirror
set grid ytics lc rgb '#dddddd' lw 1
set style fill solid 0.85 noborder
set boxwidth 0.8 relative
set key off
set xtics rotate by 40 right noenhanced font ',10'
set rmargin 3
set yrange [0:*]
ours(name) = name[1:4] eq 'ramp' || name[1:4] eq 'mpol' || name[1:4] eq 'spre'
shade(name) = ours(name) ? 0x1f5fa8 : 0x9aa5b1
have(name) = system('test -s "'.data.'/'.name.'.dat" && echo 1 || echo 0') + 0

do for [plot in "qdisc1 qdisc2 action2 team1"] {
	set title (plot eq 'qdisc1' ? 'through a root qdisc, 1 CPU' : \
		plot eq 'qdisc2' ? 'through a root qdisc, 2 CPUs' : \
		plot eq 'action2' ? 'through an action, 2 CPUs' : \
		'through a team of 4 ports, 1 CPU')
	set ylabel 'million packets/s' offset 1
	if (have(plot)) {
		plot data.'/'.plot.'.dat' using 0:2:(shade(strcol(1))):xtic(1) with boxes lc rgb variable, \
		     '' using 0:3:(0):($4 - $3) with vectors nohead lw 1.5 lc rgb '#333333'
	} else {
		set multiplot next
	}
}

set title 'instructions per packet, more than a FIFO'
set ylabel 'instructions' offset 1
set yrange [*:*]
set xzeroaxis lt 1 lc rgb '#444444'
if (have('instructions')) {
	plot data.'/instructions.dat' using 0:2:(shade(strcol(1))):xtic(1) with boxes lc rgb variable
} else {
	set multiplot next
}

set xtics norotate right offset 0.5 autofreq font ',10'
set logscale x 10
set key top left Left reverse samplen 2
set yrange [0:*]
set xlabel 'filters, each with a bucket' offset 0,0.5
set title 'time per packet behind many filters'
set ylabel 'ns' offset 1
if (have('buckets-ok')) {
	plot data.'/buckets-ok.dat' using 1:2 with lines lw 2 lc rgb '#777777' title 'ok', \
	     data.'/buckets-police.dat' using 1:2 with lines lw 2 lc rgb '#9aa5b1' title 'police', \
	     data.'/buckets-mpolice.dat' using 1:2 with lines lw 2 lc rgb '#1f5fa8' title 'mpolice'
} else {
	set multiplot next
}
unset multiplot
