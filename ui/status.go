package ui

import (
	"time"

	"rung/ui/view"
	"rung/ui/widget"
)

// toastTime is how long the status line keeps a message.
const toastTime = 5 * time.Second

// status is what the status line says, empty for nothing.
type status struct {
	text    string
	bad     bool
	until   time.Time
	notices []string // warnings from the start, still to be said
}

func (s *status) say(t view.ToastAsk, now time.Time) {
	s.text, s.bad, s.until = widget.Clean(t.Text), t.Bad, now.Add(toastTime)
}

// sayNotice says the next warning from the start when nothing else is said.
func (s *status) sayNotice(now time.Time) {
	if s.text == "" && len(s.notices) > 0 {
		s.say(view.ToastAsk{Text: s.notices[0], Bad: true}, now)
		s.notices = s.notices[1:]
	}
}

// expire takes away what has been said for long enough.
func (s *status) expire(now time.Time) {
	if s.text != "" && now.After(s.until) {
		s.text = ""
		s.sayNotice(now)
	}
}
