package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"rung/model/words"
)

// AnnotationLogSession records a logging session, in addition to the level it set. Only Rung reads it.
const AnnotationLogSession = "rung/log-session"

// Bounds of a record, since anybody may have written it.
const (
	maxSessionBytes = 64 << 10 // bytes
	maxAuthorLength = 128      // characters
)

// LogSession is a temporary change of logging, recorded in the annotation AnnotationLogSession.
type LogSession struct {
	ID    string // shared by everything switched on at once
	By    string // user@host
	Since time.Time
	Until time.Time // zero: until ended by a user
	// Set is the session's value of the annotation AnnotationLogging. Others' values stay.
	Set string
	// Former is the previous value, restored byte for byte; HadFormer is false if there was none.
	Former    string
	HadFormer bool
}

type sessionRecord struct {
	ID     string     `json:"id"`
	By     string     `json:"by"`
	Since  time.Time  `json:"since"`
	Until  *time.Time `json:"until,omitempty"`
	Set    string     `json:"set"`
	Former *string    `json:"former"`
}

// AnnotationText returns the text that records the session. It is plain ASCII, so that the former value
// survives the way to a cluster and back byte for byte.
func (s LogSession) AnnotationText() string {
	r := sessionRecord{ID: s.ID, By: s.By, Since: s.Since.UTC(), Set: s.Set}
	if !s.Until.IsZero() {
		until := s.Until.UTC()
		r.Until = &until
	}
	if s.HadFormer {
		r.Former = &s.Former
	}
	text, _ := json.Marshal(r) // cannot fail: strings, and times with four-digit years
	return asciiJSON(text)
}

// asciiJSON escapes the non-ASCII characters of JSON, which occur only in strings.
func asciiJSON(text []byte) string {
	var b strings.Builder
	for _, r := range string(text) {
		if r < 0x7f {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// ParseLogSession reads the annotation AnnotationLogSession. It cleans all fields but Set and Former.
func ParseLogSession(raw string) (LogSession, error) {
	if len(raw) > maxSessionBytes {
		return LogSession{}, fmt.Errorf("is longer than %d bytes", maxSessionBytes)
	}
	var r sessionRecord
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		return LogSession{}, fmt.Errorf("is not what Rung writes: %s", words.CleanText(err.Error()))
	}
	s := LogSession{ID: shortText(r.ID), By: shortText(r.By), Since: r.Since.UTC(), Set: r.Set}
	if r.Former != nil {
		s.Former, s.HadFormer = *r.Former, true
	}
	if r.Until != nil {
		s.Until = r.Until.UTC()
	}
	switch {
	case s.ID == "":
		return LogSession{}, errors.New("has no id")
	case s.Since.Year() < firstYear || s.Since.Year() > lastYear:
		return LogSession{}, errors.New("has no valid start time")
	case r.Until != nil && (s.Until.Before(s.Since) || s.Until.Year() > lastYear):
		return LogSession{}, errors.New("ends before it began")
	}
	return s, nil
}

// The accepted years: RFC 3339 has four digits.
const firstYear, lastYear = 1970, 9999

func shortText(text string) string {
	text = words.CleanText(text)
	if utf8.RuneCountInString(text) > maxAuthorLength {
		return string([]rune(text)[:maxAuthorLength-1]) + "…"
	}
	return text
}

// NewLogSession returns a session that begins now. The error is why the present value cannot be recorded.
func NewLogSession(id, by string, now time.Time, lasts time.Duration, former string, had bool) (LogSession, error) {
	if !utf8.ValidString(former) {
		return LogSession{}, errors.New("the present value is not valid text and could not be restored: " + strconv.Quote(former))
	}
	s := LogSession{ID: id, By: shortText(by), Since: now.UTC().Round(0), Former: former, HadFormer: had}
	if lasts > 0 {
		s.Until = s.Since.Add(lasts)
	}
	return s, nil
}

// IsOver reports whether the session has expired.
func (s LogSession) IsOver(now time.Time) bool { return !s.Until.IsZero() && !now.Before(s.Until) }

// IsOpen reports whether the session lasts until a user ends it.
func (s LogSession) IsOpen() bool { return s.Until.IsZero() }

// BriefText returns its user and end: "ada@pc until 06:15:00".
func (s LogSession) BriefText(now time.Time) string {
	until := "until switched off"
	if !s.IsOpen() {
		until = "until " + clockTime(s.Until, now)
	}
	if s.By == "" {
		return until
	}
	return s.By + " " + until
}

// clockTime returns the time of day, with the date unless it is today.
func clockTime(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// EndedLogSession is an ended logging session.
type EndedLogSession struct {
	Target Key // the policy or namespace
	LogSession
	At  time.Time
	How string // "expired; annotation restored"
}

// String returns the object and the outcome of the session.
func (e EndedLogSession) String() string {
	text := "logging session of " + e.Target.Label()
	if e.By != "" {
		text += " (" + e.By + ")"
	}
	return text + ": " + e.How
}
