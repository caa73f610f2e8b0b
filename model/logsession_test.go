package model

import (
	"strings"
	"testing"
	"time"
)

var sessionDay = time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)

// What was there before comes back byte for byte, whatever it was.
func TestLogSessionKeepsTheFormerValue(t *testing.T) {
	formers := []string{"", `{"deny":"alert"}`, "{\n\t\"deny\" : \"alert\"\n}\n", "not JSON at all \\ \" <&>", "\u202eback \u200b zero",
		"\U0001f512 é \u2028", "\x7f\x01\x1b[31m", strings.Repeat("x", 5000)}
	for _, former := range formers {
		s, err := NewLogSession("a1", "ada@pc", sessionDay, 15*time.Minute, former, true)
		if err != nil {
			t.Fatal(err)
		}
		s.Set = `{"deny":"info"}`
		text := s.AnnotationText()
		for i := range len(text) {
			if text[i] >= 0x7f || text[i] < 0x20 {
				t.Fatalf("byte %#x in %q", text[i], text)
			}
		}
		if got, err := ParseLogSession(text); err != nil || got != s {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, s)
		}
	}
	none, err := NewLogSession("a1", "ada@pc", sessionDay, 0, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseLogSession(none.AnnotationText()); err != nil || got != none || got.HadFormer || !got.IsOpen() {
		t.Errorf("absent: %+v, %v", got, err)
	}
	if _, err := NewLogSession("a1", "ada", sessionDay, 0, "\xff", true); err == nil {
		t.Error("a value that JSON cannot hold is taken")
	}
}

func TestLogSessionOfOthers(t *testing.T) {
	for raw, want := range map[string]string{
		"":                    "is not what Rung writes",
		"[1]":                 "is not what Rung writes",
		`{"id":1}`:            "is not what Rung writes",
		`{}`:                  "has no id",
		`{"id":"a","by":"x"}`: "has no valid start time",
		`{"id":"a","since":"2026-11-23T06:00:00Z","until":"2026-11-23T05:00:00Z"}`: "ends before it began",
		`{"id":"` + strings.Repeat("a", maxSessionBytes) + `"}`:                    "is longer than",
	} {
		if _, err := ParseLogSession(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", raw, err, want)
		}
	}
	s, err := ParseLogSession(`{"id":"a\u001b[2J","by":"` + strings.Repeat("w", 500) + `\u202e","since":"2026-11-23T06:00:00Z","set":"\u001b","former":null}`)
	if err != nil || strings.ContainsAny(s.ID+s.By, "\x1b\u202e") || len([]rune(s.By)) > maxAuthorLength || s.Set != "\x1b" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestLogSessionTime(t *testing.T) {
	s, _ := NewLogSession("a", "ada@pc", sessionDay, time.Minute, "", false)
	if s.IsOver(sessionDay.Add(time.Minute-1)) || !s.IsOver(sessionDay.Add(time.Minute)) {
		t.Error("not over at its time")
	}
	if open, _ := NewLogSession("a", "", sessionDay, 0, "", false); open.IsOver(sessionDay.AddDate(50, 0, 0)) || open.BriefText(sessionDay) != "until switched off" {
		t.Error("one without an end ended")
	}
}

// FuzzLogSession: no text is a panic, what is read says nothing hostile, and what was
// read is written and read as the same.
func FuzzLogSession(f *testing.F) {
	f.Add(`{"id":"a","by":"ada@pc","since":"2026-11-23T06:00:00Z","until":"2026-11-23T06:15:00Z","set":"{\"deny\":\"alert\"}","former":null}`)
	f.Add(`{"id":"a","since":"9999-12-31T23:59:59Z","former":"\ud83d"}`)
	f.Add(`{"id":"\u001b","since":"0000-01-01T00:00:00+23:59"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		s, err := ParseLogSession(raw)
		if err != nil {
			return
		}
		if strings.ContainsRune(s.ID+s.By+s.BriefText(sessionDay), '\x1b') {
			t.Fatalf("%+v", s)
		}
		again, err := ParseLogSession(s.AnnotationText())
		if err != nil || again != s {
			t.Fatalf("%+v, %v; want %+v", again, err, s)
		}
	})
}
