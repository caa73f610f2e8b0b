package logquery

import (
	"time"

	"rung/model/moment"
)

func readSince(v string, now time.Time) (test, string) {
	at, err := moment.Parse(v, now, now)
	if err != nil {
		return nil, err.Error()
	}
	return func(l *Line) bool { return !l.At.Before(at) }, ""
}

func readUntil(v string, now time.Time) (test, string) {
	at, err := moment.Parse(v, now, now)
	if err != nil {
		return nil, err.Error()
	}
	return func(l *Line) bool { return !l.At.After(at) }, ""
}
