package widget

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/progress"
	"charm.land/bubbles/v2/spinner"

	"rung/themes"
)

// SpinAfter is how long something takes before the screen says that it is being worked
// on: what is over sooner would only flicker. SpinEvery is the time between two frames.
const SpinAfter = 200 * time.Millisecond

// SpinEvery is the pace of the spinner.
var SpinEvery = spinner.Dot.FPS

// WorkSpinner is the sign of what is being worked on, one cell wide: the frames are those of
// bubbles' spinner. Its clock is the root model's, one for all that spins.
type WorkSpinner struct {
	// Plain is for terminals without colours or signs: a line that turns.
	Plain bool
	// Still shows one sign that does not move.
	Still   bool
	frameAt int
}

// StepFrame goes on to the next frame.
func (s *WorkSpinner) StepFrame() { s.frameAt++ }

// FrameSign is the frame.
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

// ProgressBar is how much of something is done, in w cells: bubbles' progress with the looks of
// the theme. It is full only when everything is done.
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
	p.FullColor, p.EmptyColor = nil, nil // colours are the theme's
	text := p.ViewAs(float64(cells) / float64(w))
	rest := max(0, strings.IndexRune(text, empty))
	if cells == w {
		rest = len(text)
	}
	return Line{{text[:rest], look}, {text[rest:], st.Dim}}
}

// SparklineOf draws one bar per value, the highest being the largest of them.
func SparklineOf(values []int) string {
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
