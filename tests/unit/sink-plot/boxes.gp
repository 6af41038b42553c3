set terminal pdfcairo noenhanced size 12.5000in,7.2917in fontscale 1 linewidth 1 font 'DejaVu Sans,10.5' background rgb '#ffffff'
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
set label 'Spread of the kernel time by rank' at screen 0.018333, screen 0.957143 left front font ',15.75' textcolor rgb '#222222'
set label 'profile 0a1b2c' at screen 0.981667, screen 0.020000 right front font ',8.25' textcolor rgb '#777777'
set object 1 rectangle from screen 0.018333, screen 0.902143 to screen 0.029167, screen 0.920714 front fc rgb '#0072b2' fs solid noborder
set label 'EPLB off' at screen 0.035000, screen 0.911429 left front font ',10.5' textcolor rgb '#222222'
set object 2 rectangle from screen 0.097950, screen 0.902143 to screen 0.108783, screen 0.920714 front fc rgb '#e69f00' fs solid noborder
set label 'EPLB on' at screen 0.114617, screen 0.911429 left front font ',10.5' textcolor rgb '#222222'
set lmargin at screen 0.054133
set rmargin at screen 0.980000
set tmargin at screen 0.861429
set bmargin at screen 0.118571
unset logscale x
set xrange [0.0:65.4]
unset logscale y
set yrange [3.5:-0.5]
set xtics nomirror out scale 0.5, 0.25 norotate font ',10.5' textcolor rgb '#222222' ('0' 0.0, '5' 5.0, '10' 10.0, '15' 15.0, '20' 20.0, '25' 25.0, '30' 30.0, '35' 35.0, '40' 40.0, '45' 45.0, '50' 50.0, '55' 55.0, '60' 60.0)
set ytics nomirror out scale 0.5, 0.25 norotate font ',10.5' textcolor rgb '#222222' ('0' 0.0, '1' 1.0, '2' 2.0, '3' 3.0)
set border 3 back lw 0.8 lc rgb '#888888'
unset grid
set grid xtics noytics back lt 1 lw 0.6 lc rgb '#e4e4e4'
set label 'Duration (µs)' at screen 0.517067, screen 0.064286 center front font ',10.5' textcolor rgb '#222222'
set label 'Rank' at screen 0.025000, screen 0.490000 center rotate by 90 front font ',10.5' textcolor rgb '#222222'
unset colorbox
$d1 << END
10.0	-0.2
20.0	-0.2

12.0	0.8
19.0	0.8

8.0	1.8
15.0	1.8

10.0	2.8000000000000003
22.0	2.8000000000000003

33.0	-0.2
50.0	-0.2

30.0	0.8
44.0	0.8

26.0	1.8
40.0	1.8

38.0	2.8000000000000003
55.0	2.8000000000000003

10.0	-0.2752
10.0	-0.12480000000000001

12.0	0.7248
12.0	0.8752000000000001

8.0	1.7248
8.0	1.8752

10.0	2.7248
10.0	2.8752000000000004

50.0	-0.2752
50.0	-0.12480000000000001

44.0	0.7248
44.0	0.8752000000000001

40.0	1.7248
40.0	1.8752

55.0	2.7248
55.0	2.8752000000000004

END
$d2 << END
20.0	-0.35040000000000004	20.0	33.0	-0.35040000000000004	-0.049600000000000005
19.0	0.6496000000000001	19.0	30.0	0.6496000000000001	0.9504
15.0	1.6496	15.0	26.0	1.6496	1.9504000000000001
22.0	2.6496000000000004	22.0	38.0	2.6496000000000004	2.9504
END
$d3 << END
26.0	-0.35040000000000004
26.0	-0.049600000000000005

22.0	0.6496000000000001
22.0	0.9504

20.0	1.6496
20.0	1.9504000000000001

29.0	2.6496000000000004
29.0	2.9504

END
$d4 << END
28.0	-0.35040000000000004
28.0	-0.049600000000000005

25.0	0.6496000000000001
25.0	0.9504

21.0	1.6496
21.0	1.9504000000000001

31.0	2.6496000000000004
31.0	2.9504

END
$d5 << END
56.0	-0.2
58.0	-0.2
5.0	2.8000000000000003
END
$d6 << END
10.0	0.20000000000000007
20.0	0.20000000000000007

12.0	1.2000000000000002
19.0	1.2000000000000002

8.0	2.2
15.0	2.2

10.0	3.2
22.0	3.2

33.0	0.20000000000000007
50.0	0.20000000000000007

30.0	1.2000000000000002
44.0	1.2000000000000002

26.0	2.2
40.0	2.2

38.0	3.2
55.0	3.2

10.0	0.12480000000000006
10.0	0.27520000000000006

12.0	1.1248000000000002
12.0	1.2752000000000001

8.0	2.1248
8.0	2.2752000000000003

10.0	3.1248
10.0	3.2752000000000003

50.0	0.12480000000000006
50.0	0.27520000000000006

44.0	1.1248000000000002
44.0	1.2752000000000001

40.0	2.1248
40.0	2.2752000000000003

55.0	3.1248
55.0	3.2752000000000003

END
$d7 << END
20.0	0.04960000000000006	20.0	33.0	0.04960000000000006	0.35040000000000004
19.0	1.0496	19.0	30.0	1.0496	1.3504000000000003
15.0	2.0496000000000003	15.0	26.0	2.0496000000000003	2.3504
22.0	3.0496000000000003	22.0	38.0	3.0496000000000003	3.3504
END
$d8 << END
26.0	0.04960000000000006
26.0	0.35040000000000004

22.0	1.0496
22.0	1.3504000000000003

20.0	2.0496000000000003
20.0	2.3504

29.0	3.0496000000000003
29.0	3.3504

END
$d9 << END
28.0	0.04960000000000006
28.0	0.35040000000000004

25.0	1.0496
25.0	1.3504000000000003

21.0	2.0496000000000003
21.0	2.3504

31.0	3.0496000000000003
31.0	3.3504

END
$d10 << END
56.0	0.20000000000000007
58.0	0.20000000000000007
5.0	3.2
END
set label 'n=400' at graph 0.995, first -0.2 right front font ',9' textcolor rgb '#666666'
set label 'n=398' at graph 0.995, first 0.8 right front font ',9' textcolor rgb '#666666'
set label 'n=1200' at graph 0.995, first 1.8 right front font ',9' textcolor rgb '#666666'
set label 'n=24' at graph 0.995, first 2.8000000000000003 right front font ',9' textcolor rgb '#666666'
set label 'n=400' at graph 0.995, first 0.20000000000000007 right front font ',9' textcolor rgb '#666666'
set label 'n=398' at graph 0.995, first 1.2000000000000002 right front font ',9' textcolor rgb '#666666'
set label 'n=1200' at graph 0.995, first 2.2 right front font ',9' textcolor rgb '#666666'
set label 'n=24' at graph 0.995, first 3.2 right front font ',9' textcolor rgb '#666666'
plot $d1 using 1:2 with lines lw 1 lc rgb '#0072b2' notitle, \
     $d2 using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.35 border rgb '#0072b2' fc rgb '#0072b2' lw 1 notitle, \
     $d3 using 1:2 with lines lw 2 lc rgb '#222222' notitle, \
     $d4 using 1:2 with lines lw 1.1 dt 2 lc rgb '#222222' notitle, \
     $d5 using 1:2 with points pt 7 ps 0.8 lc rgb '#0072b2' notitle, \
     $d6 using 1:2 with lines lw 1 lc rgb '#e69f00' notitle, \
     $d7 using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.35 border rgb '#e69f00' fc rgb '#e69f00' lw 1 notitle, \
     $d8 using 1:2 with lines lw 2 lc rgb '#222222' notitle, \
     $d9 using 1:2 with lines lw 1.1 dt 2 lc rgb '#222222' notitle, \
     $d10 using 1:2 with points pt 7 ps 0.8 lc rgb '#e69f00' notitle

unset multiplot
