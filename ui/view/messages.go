package view

import (
	"time"

	"rung/ui/nav"
)

// Message is something that the status line said.
type Message struct {
	Number  int // counts all of them
	At      time.Time
	Text    string
	IsError bool
	Times   int // how often it was said in a row, the last time at At
	// Page is where it arose, PageName what that is called; Context is the cluster then.
	Page     nav.Page
	PageName string
	Context  string
}

// keptMessages is how many messages are kept.
const keptMessages = 200

// MessageLog keeps what was said last.
type MessageLog struct{ all []Message }

// AddMessage keeps a message. One that is said again is counted.
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

// Messages returns the messages that are kept, the oldest first. They are not to be changed.
func (l *MessageLog) Messages() []Message { return l.all }
