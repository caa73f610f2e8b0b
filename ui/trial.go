package ui

import (
	"context"
	"time"

	"rung/revision"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// trialBadge is the change on trial, for the header of every page: how long there is to
// confirm it, and the key. nil without one.
func (m *root) trialBadge(w int) widget.Line {
	u := m.rev.Unconfirmed
	if !u.Open() {
		return nil
	}
	l := widget.Styled(" "+u.Brief(m.now)+" ", m.styles.Alarm)
	key := m.keys.Action(action.Confirm).Shown()
	if key == "" || u.Over && u.Why == "" {
		return l
	}
	l = l.Add(" ", m.styles.Text).Add(key, m.styles.Key)
	if w >= keyedHeader {
		what := " keeps the change"
		if u.Partly != "" {
			what = " finishes it"
		}
		l = l.Add(what, m.styles.Text)
	} else if u.Partly != "" {
		l = l.Add(" finishes", m.styles.Text)
	} else {
		l = l.Add(" keeps it", m.styles.Text)
	}
	return l
}

// onTrial tells what becomes of a change on trial, from what was said of it before.
func (m *root) onTrial(was *revision.Unconfirmed) {
	u := m.rev.Unconfirmed
	if u == nil || was != nil && was.ID == u.ID && was.Open() == u.Open() && was.Why == u.Why && was.Here == u.Here {
		return
	}
	title := u.Title
	if title != "" {
		title += ": "
	}
	switch {
	case u.Found && (was == nil || was.ID != u.ID || u.Ended != ""):
		m.foundTrial(u)
	case u.Ended == revision.TrialConfirmed || u.Ended == revision.ChangeFinished: // whoever pressed the key is told
	case u.Ended != "":
		m.say(view.ToastAsk{Text: title + u.Ended, Bad: !u.Kept || u.Title == ""})
	case u.Why != "" || !u.Here:
		m.say(view.ToastAsk{Text: title + u.Text(m.now), Bad: true})
	}
}

// foundTrial says first what an earlier run left.
func (m *root) foundTrial(u *revision.Unconfirmed) {
	if u.Ended == revision.TrialConfirmed || u.Ended == revision.TrialConfirmedElsewhere {
		return
	}
	if u.Partly != "" && u.Ended == "" {
		m.ask(&view.Confirm{Title: u.Title, Body: []string{"An earlier run of Rung was killed while it made this change: " + u.Partly + ".",
			m.keys.Action(action.Undo).Shown() + " takes back what was written. Until then no other change is made."},
			NoText: "later", YesText: "finish it",
			Changed: func() string {
				if now := m.rev.Unconfirmed; now == nil || now.ID != u.ID || !now.Open() {
					return "it was finished or taken back"
				}
				return ""
			},
			Yes: func(*view.Env) { m.confirmTrial() }})
		return
	}
	const left = "An earlier run of Rung made this change on trial, and ended before it was confirmed."
	if u.Ended != "" {
		m.ask(&view.Note{Title: u.Title, Body: []string{left, "It is over: " + u.Ended + "."}})
		return
	}
	if u.Over {
		return // it is told once it is over
	}
	m.ask(&view.Confirm{Title: u.Title, Body: []string{left,
		"It is put back at " + u.Until.Local().Format(time.TimeOnly) + " unless you keep it."},
		NoText: "put it back then", YesText: "keep it",
		Changed: func() string {
			if now := m.rev.Unconfirmed; now == nil || now.ID != u.ID || !now.Open() || now.Over {
				return "its time is over"
			}
			return ""
		},
		Yes: func(*view.Env) { m.confirmTrial() }})
}

// confirmTrial keeps the change on trial.
func (m *root) confirmTrial() {
	console, what := m.console, "confirmed"
	if u := m.rev.Unconfirmed; u.Open() && u.Partly != "" {
		what = revision.ChangeFinished
	}
	m.background("confirming the change", func(context.Context) view.ToastAsk {
		title, err := console.Confirm("console")
		if err != nil {
			return view.ToastAsk{Text: err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: title + ": " + what}
	})
}

// onTrialHere says whether leaving this Rung would put a change back.
func (m *root) onTrialHere() bool {
	u := m.rev.Unconfirmed
	return u.Open() && u.Here && m.rev.Mode.Lasts()
}
