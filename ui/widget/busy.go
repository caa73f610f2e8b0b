package widget

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/progress"
	"charm.land/bubbles/v2/spinner"

	"rung/themes"
)

// SpinAfter is how long work runs before the screen shows it: shorter work would only flicker.
const SpinAfter = 200 * time.Millisecond

// SpinEvery is the time between two frames of the spinner.
var SpinEvery = spinner.Dot.FPS

// WorkSpinner is a one-cell spinner with the frames of bubbles' spinner. The root model's one clock drives it.
type WorkSpinner struct {
	// Plain is for terminals without colours or signs: a turning line.
	Plain bool
	// Still shows one fixed sign.
	Still   bool
	frameAt int
}

// StepFrame moves to the next frame.
func (s *WorkSpinner) StepFrame() { s.frameAt++ }

// FrameSign returns the current frame.
func (s *WorkSpinner) FrameSign() string {
	switch {
	case s.Still && s.Plain:
		return "-"
	case s.Still:
		return "⠿"
	}
	frames := spinner.Dot.Frames
	if s.Plain {
		frames = spinner.Line.Frames
	}
	return strings.TrimSpace(frames[s.frameAt%len(frames)])
}

// ProgressBar draws progress in w cells: bubbles' progress with the theme's styles. It is full only when all
// is done.
func ProgressBar(st *themes.StyleSet, look themes.Style, done, total int64, w int) Line {
	if w <= 0 {
		return nil
	}
	cells := 0
	if total > 0 {
		cells = int(float64(w) * float64(min(max(0, done), total)) / float64(total))
	}
	const full, empty = '█', '░'
	p := progress.New(progress.WithWidth(w), progress.WithoutPercentage(), progress.WithFillCharacters(full, empty))
	p.FullColor, p.EmptyColor = nil, nil // use the theme's colours
	text := p.ViewAs(float64(cells) / float64(w))
	rest := max(0, strings.IndexRune(text, empty))
	if cells == w {
		rest = len(text)
	}
	return Line{{text[:rest], look}, {text[rest:], st.Dim}}
}

// Sparkline draws one bar per value, scaled to the largest.
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
