set terminal pngcairo noenhanced size 2400,1400 fontscale 2 linewidth 2 pointscale 2 font 'DejaVu Sans,10.5' background rgb '#ffffff'
set encoding utf8
set datafile separator tab
set datafile commentschars ''
set decimalsign '.'
unset key
unset title
unset colorbox
set style fill solid
set errorbars small
set multiplot

unset label
unset object
set label 'Requests in flight' at screen 0.018333, screen 0.957143 left front font ',15.75' textcolor rgb '#222222'
set label 'profile 0a1b2c' at screen 0.981667, screen 0.020000 right front font ',8.25' textcolor rgb '#777777'
set lmargin at screen 0.061600
set rmargin at screen 0.980000
set tmargin at screen 0.904286
set bmargin at screen 0.118571
unset logscale x
set xrange [0.0:6.0]
unset logscale y
set yrange [0.0:10.0]
set xtics nomirror out scale 0.5, 0.25 norotate font ',10.5' textcolor rgb '#222222' ('0.0' 0.0, '0.5' 0.5, '1.0' 1.0, '1.5' 1.5, '2.0' 2.0, '2.5' 2.5, '3.0' 3.0, '3.5' 3.5, '4.0' 4.0, '4.5' 4.5, '5.0' 5.0, '5.5' 5.5, '6.0' 6.0)
set ytics nomirror out scale 0.5, 0.25 norotate font ',10.5' textcolor rgb '#222222' ('0' 0.0, '1' 1.0, '2' 2.0, '3' 3.0, '4' 4.0, '5' 5.0, '6' 6.0, '7' 7.0, '8' 8.0, '9' 9.0, '10' 10.0)
set border 3 back lw 0.8 lc rgb '#888888'
unset grid
set grid xtics ytics back lt 1 lw 0.6 lc rgb '#e4e4e4'
set label 'Time (s)' at screen 0.520800, screen 0.064286 center front font ',10.5' textcolor rgb '#222222'
set label 'Requests' at screen 0.025000, screen 0.511429 center rotate by 90 front font ',10.5' textcolor rgb '#222222'
unset colorbox
$d1 << END
0.0	3.0
1.0	3.0
1.0	6.0
2.0	6.0
2.0	5.0
3.0	5.0
3.0	9.0
4.0	9.0
4.0	8.0
5.0	8.0
5.0	4.0
6.0	4.0
6.0	2.0
6.0	2.0
6.0	0.0
6.0	0.0
6.0	2.0
5.0	2.0
5.0	6.0
4.0	6.0
4.0	7.0
3.0	7.0
3.0	3.0
2.0	3.0
2.0	4.0
1.0	4.0
1.0	1.0
0.0	1.0

END
$d2 << END
0.0	2.0
1.0	5.0
2.0	4.0
3.0	8.0
4.0	7.0
5.0	3.0
6.0	1.0
END
set label 'seed 42, batch 8' at screen 0.973333, screen 0.887143 right front font ',9' textcolor rgb '#444444'
plot $d1 using 1:2 with filledcurves closed fs transparent solid 0.18 noborder fc rgb '#0072b2' notitle, \
     $d2 using 1:2 with steps lw 1.6 lc rgb '#0072b2' notitle

unset multiplot
