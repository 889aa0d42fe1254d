# SPDX-License-Identifier: GPL-2.0
#
# What the benches measured, in one picture: above what is compared, below how costs
# grow. The variable data comes from selftests/bench/run.

set multiplot layout 3,3 title "{/:Bold What Ramp costs, beside what else there is}" offset 0,-0.2
set border 3 lc rgb '#444444'
set tics nomirror
set grid ytics lc rgb '#dddddd' lw 1
set style fill solid 0.85 noborder
set boxwidth 0.8 relative
set key off
set xtics rotate by 40 right noenhanced font ',10'
set rmargin 3
set yrange [0:*]
set errorbars 0.5
ours(name) = name[1:4] eq 'ramp' || name[1:4] eq 'mpol' || name[1:4] eq 'spre'
shade(name) = ours(name) ? 0x1f5fa8 : 0x9aa5b1
have(name) = system('test -s "'.data.'/'.name.'.dat" && echo 1 || echo 0') + 0

do for [plot in "qdisc action team"] {
	do for [cpus = 1:2] {
		if (!(plot eq 'team' && cpus == 2)) {
			set title (plot eq 'qdisc' ? 'through a root qdisc' : \
				plot eq 'action' ? 'through an action' : \
				'through a team of 4 ports').sprintf(', %d CPU%s', cpus, cpus > 1 ? 's' : '')
			set ylabel 'million packets/s' offset 1
			file = plot.sprintf('%d', cpus)
			if (have(file)) {
				plot data.'/'.file.'.dat' using 0:2:(shade(strcol(1))):xtic(1) with boxes lc rgb variable, \
				     '' using 0:2:3:4 with yerrorbars lc rgb '#333333' pt -1
			} else {
				set multiplot next
			}
		}
	}
}

set title 'instructions per packet, to a FIFO'
set ylabel 'instructions' offset 1
set yrange [*:*]
set xzeroaxis lt 1 lc rgb '#444444'
if (have('instructions')) {
	plot data.'/instructions.dat' using 0:2:(shade(strcol(1))):xtic(1) with boxes lc rgb variable
} else {
	set multiplot next
}

set xtics norotate right offset 0.5 autofreq font ',10'
set logscale x 2
set key bottom left Left reverse samplen 2
set yrange [0:*]
set xlabel 'how many' offset 0,0.5
set title 'cost by what a qdisc has'
set ylabel 'instructions per packet' offset 1
if (have('scale-bands')) {
	plot for [n in "bands gears steps members"] data.'/scale-'.n.'.dat' using ($1 > 0 ? $1 : 1/0):2 with linespoints lw 2 pt -1.6 title n
} else {
	set multiplot next
}
set title 'cost by ports of a team, 8 queues each'
if (have('ports-random')) {
	plot data.'/ports-random.dat' using 1:2 with linespoints lw 2 lc rgb '#9aa5b1' pt -1.6 title 'random', \
	     data.'/ports-spread-frame.dat' using 1:2 with linespoints lw 2 lc rgb '#1f5fa8' pt -1.6 title 'spread, per frame', \
	     data.'/ports-loadbalance.dat' using 1:2 with linespoints lw 2 dt 2 lc rgb '#9aa5b1' pt 6 ps 0.6 title 'loadbalance', \
	     data.'/ports-spread-flowlet.dat' using 1:2 with linespoints lw 2 dt 2 lc rgb '#1f5fa8' pt 6 ps 0.6 title 'spread, flowlets'
} else {
	set multiplot next
}
set logscale x 10
set title 'cost by filters, each with a bucket'
set ylabel 'ns per packet' offset 1
if (have('buckets-ok')) {
	plot data.'/buckets-ok.dat' using 1:2 with linespoints lw 2 lc rgb '#777777' pt -1.6 title 'ok', \
	     data.'/buckets-police.dat' using 1:2 with linespoints lw 2 lc rgb '#9aa5b1' pt -1.6 title 'police', \
	     data.'/buckets-mpolice.dat' using 1:2 with linespoints lw 2 lc rgb '#1f5fa8' pt -1.6 title 'mpolice'
} else {
	set multiplot next
}
unset multiplot
