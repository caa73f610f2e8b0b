package view

import (
	"time"

	"rung/ui/nav"
)

// Message is a message of the status line.
type Message struct {
	Number  int // number of the message, counted from the first
	At      time.Time
	Text    string
	IsError bool
	Times   int // repetitions in a row, the last at At
	// Page is the page it arose on, PageName its name; Context is the cluster at that time.
	Page     nav.Page
	PageName string
	Context  string
}

// keptMessages bounds the messages kept.
const keptMessages = 200

// MessageLog keeps the last messages.
type MessageLog struct{ all []Message }

// AddMessage keeps a message. A repeated one is counted.
func (l *MessageLog) AddMessage(m Message) {
	m.Times = 1
	n := len(l.all)
	if n > 0 {
		last := &l.all[n-1]
		m.Number = last.Number + 1
		if last.Text == m.Text && last.IsError == m.IsError && last.Page == m.Page && last.Context == m.Context {
			last.At = m.At
			last.Times++
			return
		}
	}
	l.all = append(l.all[max(0, n+1-keptMessages):], m)
}

// Messages returns the kept messages, oldest first. Do not change them.
func (l *MessageLog) Messages() []Message { return l.all }
