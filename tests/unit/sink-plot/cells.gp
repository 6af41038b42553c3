set terminal svg noenhanced size 1200,700 dynamic font 'DejaVu Sans,14' background rgb '#ffffff'
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
set label 'How much slower than the best' at screen 0.018333, screen 0.957143 left front font ',21' textcolor rgb '#222222'
set label 'profile 0a1b2c' at screen 0.981667, screen 0.020000 right front font ',11' textcolor rgb '#777777'
set lmargin at screen 0.141400
set rmargin at screen 0.508867
set tmargin at screen 0.875714
set bmargin at screen 0.118571
unset logscale x
set xrange [-0.5:4.5]
unset logscale y
set yrange [2.5:-0.5]
set xtics nomirror out scale 0 norotate font ',14' textcolor rgb '#222222' ('1' 0.0, '2' 1.0, '4' 2.0, '8' 3.0, '16' 4.0)
set ytics nomirror out scale 0 norotate font ',14' textcolor rgb '#222222' ('gemm_128x128' 0.0, 'gemm_256x64' 1.0, 'splitK' 2.0)
set border 15 back lw 0.8 lc rgb '#888888'
unset grid
set label 'Batch' at screen 0.325133, screen 0.064286 center front font ',14' textcolor rgb '#222222'
set label 'Kernel' at screen 0.025000, screen 0.497143 center rotate by 90 front font ',14' textcolor rgb '#222222'
set label 'tp 4' at screen 0.325133, screen 0.894286 center front font ',16' textcolor rgb '#222222'
unset colorbox
set palette defined (0 '#ffffff', 1 '#fee0d2', 2 '#fc9272', 3 '#de2d26', 4 '#a50f15')
unset logscale cb
set cbrange [1.0:3.0]
set cbtics scale 0.3 font ',14' textcolor rgb '#222222' ('1.0' 1.0, '1.5' 1.5, '2.0' 2.0, '2.5' 2.5, '3.0' 3.0)
set colorbox user origin screen 0.916333, screen 0.118571 size screen 0.013333, screen 0.757143 noborder
set label 'Time relative to the best' at screen 0.975000, screen 0.497143 center rotate by 90 front font ',14' textcolor rgb '#222222'
$d1 << END
-0.5	-0.5	-0.5	0.5	-0.5	0.5	1.477561593055725
0.5	-0.5	0.5	1.5	-0.5	0.5	2.8269864320755005
1.5	-0.5	1.5	2.5	-0.5	0.5	2.2249832153320312
2.5	-0.5	2.5	3.5	-0.5	0.5	2.8539628982543945
3.5	-0.5	3.5	4.5	-0.5	0.5	1.0986822843551636
-0.5	0.5	-0.5	0.5	0.5	1.5	2.7115670442581177
0.5	0.5	0.5	1.5	0.5	1.5	1.7219702005386353
2.5	0.5	2.5	3.5	0.5	1.5	1.1375679969787598
3.5	0.5	3.5	4.5	0.5	1.5	2.9678739309310913
-0.5	1.5	-0.5	0.5	1.5	2.5	2.9456100463867188
0.5	1.5	0.5	1.5	1.5	2.5	2.062501549720764
1.5	1.5	1.5	2.5	1.5	2.5	1.9037151336669922
2.5	1.5	2.5	3.5	1.5	2.5	2.095678687095642
3.5	1.5	3.5	4.5	1.5	2.5	2.2100719213485718
END
$d2 << END
9.5	-0.5	1.0
END
set label '1.48x' at first 0.0, first 0.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.83x' at first 1.0, first 0.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.22x' at first 2.0, first 0.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.85x' at first 3.0, first 0.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '1.10x' at first 4.0, first 0.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.71x' at first 0.0, first 1.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '1.72x' at first 1.0, first 1.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '1.14x' at first 3.0, first 1.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.97x' at first 4.0, first 1.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.95x' at first 0.0, first 2.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.06x' at first 1.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '1.90x' at first 2.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.10x' at first 3.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.21x' at first 4.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
plot $d1 using 1:2:3:4:5:6:7 with boxxyerror fs solid border rgb '#ffffff' fc palette lw 0.7 notitle, \
     $d2 using 1:2:3 with points pt 7 ps 0.1 lc palette notitle

unset label
unset object
set lmargin at screen 0.535533
set rmargin at screen 0.903000
set tmargin at screen 0.875714
set bmargin at screen 0.118571
unset logscale x
set xrange [-0.5:4.5]
unset logscale y
set yrange [2.5:-0.5]
set xtics nomirror out scale 0 norotate font ',14' textcolor rgb '#222222' ('1' 0.0, '2' 1.0, '4' 2.0, '8' 3.0, '16' 4.0)
set ytics nomirror out scale 0 norotate font ',14' textcolor rgb '#222222' ('' 0.0, '' 1.0, '' 2.0)
set border 15 back lw 0.8 lc rgb '#888888'
unset grid
set label 'Batch' at screen 0.719267, screen 0.064286 center front font ',14' textcolor rgb '#222222'
set label 'tp 8' at screen 0.719267, screen 0.894286 center front font ',16' textcolor rgb '#222222'
unset colorbox
set palette defined (0 '#ffffff', 1 '#fee0d2', 2 '#fc9272', 3 '#de2d26', 4 '#a50f15')
unset logscale cb
set cbrange [1.0:3.0]
set cbtics scale 0.3 font ',14' textcolor rgb '#222222' ('1.0' 1.0, '1.5' 1.5, '2.0' 2.0, '2.5' 2.5, '3.0' 3.0)
$d3 << END
-0.5	-0.5	-0.5	0.5	-0.5	0.5	1.477561593055725
0.5	-0.5	0.5	1.5	-0.5	0.5	2.8269864320755005
1.5	-0.5	1.5	2.5	-0.5	0.5	2.2249832153320312
2.5	-0.5	2.5	3.5	-0.5	0.5	2.8539628982543945
3.5	-0.5	3.5	4.5	-0.5	0.5	1.0986822843551636
-0.5	0.5	-0.5	0.5	0.5	1.5	2.7115670442581177
0.5	0.5	0.5	1.5	0.5	1.5	1.7219702005386353
2.5	0.5	2.5	3.5	0.5	1.5	1.1375679969787598
3.5	0.5	3.5	4.5	0.5	1.5	2.9678739309310913
-0.5	1.5	-0.5	0.5	1.5	2.5	2.9456100463867188
0.5	1.5	0.5	1.5	1.5	2.5	2.062501549720764
1.5	1.5	1.5	2.5	1.5	2.5	1.9037151336669922
2.5	1.5	2.5	3.5	1.5	2.5	2.095678687095642
3.5	1.5	3.5	4.5	1.5	2.5	2.2100719213485718
END
$d4 << END
9.5	-0.5	1.0
END
set label '1.48x' at first 0.0, first 0.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.83x' at first 1.0, first 0.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.22x' at first 2.0, first 0.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.85x' at first 3.0, first 0.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '1.10x' at first 4.0, first 0.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.71x' at first 0.0, first 1.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '1.72x' at first 1.0, first 1.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '1.14x' at first 3.0, first 1.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.97x' at first 4.0, first 1.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.95x' at first 0.0, first 2.0 center front font ',14' textcolor rgb '#ffffff' offset character 0, 0
set label '2.06x' at first 1.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '1.90x' at first 2.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.10x' at first 3.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
set label '2.21x' at first 4.0, first 2.0 center front font ',14' textcolor rgb '#1a1a1a' offset character 0, 0
plot $d3 using 1:2:3:4:5:6:7 with boxxyerror fs solid border rgb '#ffffff' fc palette lw 0.7 notitle, \
     $d4 using 1:2:3 with points pt 7 ps 0.1 lc palette notitle

unset multiplot
