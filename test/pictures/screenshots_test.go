//go:build unix

package main

import (
	"bytes"
	"errors"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"rung/test/install"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program stands in for rung: it shows its arguments and the line it reads.
const program = `#!/bin/sh
printf 'rung %s\n' "$*"; read line; printf 'read %s\n' "$line"; sleep 30
`

func TestRun(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "rung")
	if err := os.WriteFile(bin, []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	good := scene{name: "good", width: 40, height: 5, args: []string{"demo"}, steps: []step{wait("rung demo"), typed("abc"), press("enter"), wait("read abc")}}
	tofu := scene{name: "tofu", width: 40, height: 5, args: []string{"日本"}, steps: []step{wait("日本")}}
	film := scene{name: "film", width: 40, height: 5, args: []string{"demo"}, moments: []moment{
		{"rung", "It starts.", 1, []step{wait("rung demo")}}, {"a < b", "It reads.", 2, []step{typed("abc"), press("enter"), wait("read abc")}}}}
	lost := scene{name: "lost", width: 40, height: 5, args: []string{"demo"}, steps: []step{wait("rung demo"), press("no such key")}}

	var out bytes.Buffer
	err := run(&out, []scene{good, film, tofu, lost}, site{bin: bin}, dir, "", true)
	if err == nil {
		t.Fatal("two bad scenes passed")
	}
	for _, want := range []string{"scene tofu: cannot draw \"日本\"", "scene lost: step 2: unknown key \"no such key\""} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if !strings.Contains(out.String(), "good") || !strings.Contains(out.String(), "read abc") {
		t.Errorf("output: %s", out.String())
	}
	for name, magic := range map[string]string{"good.svg": "<svg ", "good.png": "\x89PNG"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(data), magic) {
			t.Errorf("%s: %.20q, %v", name, data, err)
		}
	}
	played, err := os.ReadFile(filepath.Join(dir, "film.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]int{">rung demo</text>": 1, ">read abc</text>": 1, `<use href="#r0"`: 2, ">a &lt; b</text>": 1, "visibility:visible}33.33%": 1} {
		if got := strings.Count(string(played), what); got != want {
			t.Errorf("the recording has %s %d times, not %d:\n%s", what, got, want, played)
		}
	}
	for _, name := range []string{"tofu.svg", "lost.svg", "film.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if err := run(&out, scenes, site{bin: bin}, dir, "no such scene", false); err == nil {
		t.Error("no scene is not an error")
	}
}

// No picture shows the moment in which the findings are counted.
func TestNoPictureIsOfAnOldCount(t *testing.T) {
	pictures, err := filepath.Glob("../../screenshots/*.svg")
	if err != nil || len(pictures) == 0 {
		t.Fatal("no pictures", err)
	}
	for _, name := range pictures {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(oldCount)) {
			t.Errorf("%s: make screenshots", name)
		}
	}
}

// The stored recording is of the moments there are, plays a minute without a script, stands still
// for whoever wants that, and is small enough to be read along with the README.
func TestFirstMinute(t *testing.T) {
	text, err := os.ReadFile("../../screenshots/first-minute.svg")
	if err != nil {
		t.Fatal(err)
	}
	const most = 400_000
	if len(text) > most || bytes.Contains(text, []byte("<script")) || !bytes.Contains(text, []byte("prefers-reduced-motion")) {
		t.Errorf("%d bytes, at most %d; no script; a still frame for prefers-reduced-motion", len(text), most)
	}
	seconds, rest := 0.0, string(text)
	for _, m := range minute.moments {
		_, after, ok := strings.Cut(rest, html.EscapeString(m.why))
		if !ok {
			t.Errorf("%q is not told, or not in its place: make screenshots", m.why)
			continue
		}
		seconds, rest = seconds+m.seconds, after
	}
	if seconds < 50 || seconds > 70 || minute.still >= len(minute.moments) {
		t.Errorf("%v seconds, still moment %d of %d", seconds, minute.still, len(minute.moments))
	}
}

// Where there is no OVN the pictures on it stay as they are stored, and one line says so;
// where there is one, its place is given to the program.
func TestRunOnOVN(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "rung")
	if err := os.WriteFile(bin, []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	stored := filepath.Join(dir, "on-ovn.png")
	if err := os.WriteFile(stored, []byte("stored"), 0o644); err != nil {
		t.Fatal(err)
	}
	on := scene{name: "on-ovn", width: 60, height: 5, ovn: true, args: []string{"demo"}, steps: []step{wait("rung demo --sandbox-ovn /ovn")}}
	var out bytes.Buffer
	err := run(&out, []scene{on}, site{bin: bin, ovn: "/ovn", noOVN: errors.New("no OVN here")}, dir, "", false)
	if err != nil || out.String() != "kept as stored: on-ovn: no OVN here\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	if data, _ := os.ReadFile(stored); string(data) != "stored" {
		t.Errorf("the stored picture is %.20q", data)
	}
	if err := run(&out, []scene{on}, site{bin: bin, ovn: "/ovn"}, dir, "", false); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(stored); !strings.HasPrefix(string(data), "\x89PNG") {
		t.Errorf("the new picture is %.20q", data)
	}
}

func TestScenes(t *testing.T) {
	names := map[string]bool{}
	for _, s := range scenes {
		if names[s.name] {
			t.Errorf("two scenes are called %s", s.name)
		}
		names[s.name] = true
		if s.width < 80 || s.height < 24 || len(s.steps)+len(s.moments) == 0 {
			t.Errorf("scene %s: %d×%d, %d steps", s.name, s.width, s.height, len(s.steps))
		}
	}
	for _, want := range []string{"ladder", "rule", "logs", "plan", "first-minute"} {
		if !names[want] {
			t.Errorf("the README shows %s, and no scene makes it", want)
		}
	}
}

// The picture of a comment is of what the program says: a table of connections, unfolded, and the rest
// folded.
func TestComment(t *testing.T) {
	text, err := commentText(t.Context(), install.Binary(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	page, err := commentPage(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"git:main:manifests → manifests</h3>", "<strong>Connections:</strong> 10 close", "<details open><summary>Connections", "<th>BEFORE</th>", "<td>closes</td>", "<details><summary>Policies, rule by rule (1)</summary>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q\n%s", want, page)
		}
	}
	if bytes.Contains(page, []byte("| CHANGE")) {
		t.Error("a table is no table")
	}
}
