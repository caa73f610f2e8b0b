package widget

// Sparkline draws one bar per value, the highest being the largest of them.
func Sparkline(values []int) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	top := 1
	for _, v := range values {
		top = max(top, v)
	}
	out := make([]rune, len(values))
	for i, v := range values {
		out[i] = bars[max(0, min(len(bars)-1, v*(len(bars)-1)/top))]
	}
	return string(out)
}
