package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rung/test/term"
	"rung/test/term/shot"
)

// scene is one picture: how to start rung, in which terminal, and what to do
// until the screen is as it should be.
type scene struct {
	name          string // of the files, without ending
	width, height int    // cells
	light         bool   // a light terminal
	profile       term.Profile
	ovn           bool // on real OVN: made where there is one, else the stored picture stays
	args          []string
	env           []string
	steps         []step
	moments       []moment // of a recording, which has no other steps
	still         int      // the moment that stands for the recording where nothing moves
}

// moment is one frame of a recording: what is done until it is there, the keys of it and why they
// are pressed, and for how many seconds it is shown.
type moment struct {
	keys, why string
	seconds   float64
	steps     []step
}

// step is one thing a person does or waits for.
type step func(*term.Terminal) error

// press presses keys, named as in package term.
func press(keys ...string) step {
	return func(t *term.Terminal) error { return t.Press(keys...) }
}

// typed types text.
func typed(text string) step {
	return func(t *term.Terminal) error { return t.Type(text) }
}

// wait waits until all texts are on the screen together.
func wait(texts ...string) step {
	return func(t *term.Terminal) error {
		_, err := t.WaitUntil("shows "+strings.Join(texts, ", "), func(f *term.Frame) bool {
			screen := f.Text()
			for _, text := range texts {
				if !strings.Contains(screen, text) {
					return false
				}
			}
			return true
		}, 0)
		return err
	}
}

// still waits until nothing is drawn for a time. On a screen that never rests,
// such as a log, it goes on after a few seconds.
func still(quiet time.Duration) step {
	return func(t *term.Terminal) error {
		const most = 5 * time.Second
		_ = t.WaitStill(quiet, most) // a screen that moves can be pictured too
		return nil
	}
}

// play runs the scene and returns its last screen, or that of every moment.
func (s scene) play(bin, ovn string) (frames []*term.Frame, err error) {
	args := s.args
	if s.ovn {
		args = append(slices.Clip(args), "--sandbox-ovn", ovn)
	}
	t, err := term.Open(term.Options{
		Path: bin, Args: args, Env: s.env,
		Width: s.width, Height: s.height, Light: s.light, Profile: s.profile,
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := t.Close(); err == nil && cerr != nil {
			err = cerr
		}
	}()
	moments := s.moments
	if len(moments) == 0 {
		moments = []moment{{steps: s.steps}}
	}
	for _, m := range moments {
		at := ""
		if m.keys != "" {
			at = "moment " + m.keys + ": "
		}
		for i, do := range m.steps {
			if err := do(t); err != nil {
				return nil, fmt.Errorf("%sstep %d: %w", at, i+1, err)
			}
		}
		if _, err := t.WaitUntil("counts its findings", func(f *term.Frame) bool { return !strings.Contains(f.Text(), oldCount) }, 0); err != nil {
			return nil, err
		}
		frames = append(frames, t.Frame())
	}
	return frames, nil
}

// oldCount is in the header while the findings are those of an earlier revision: a picture with
// it would show a moment that nobody looks at.
const oldCount = "findings~"

// shoot runs the scene and writes its pictures into a folder.
func (s scene) shoot(bin, ovn, dir string) (*term.Frame, error) {
	frames, err := s.play(bin, ovn)
	if err != nil {
		return nil, fmt.Errorf("scene %s: %w", s.name, err)
	}
	for _, frame := range frames {
		if missing := shot.Missing(frame); len(missing) > 0 {
			return nil, fmt.Errorf("scene %s: cannot draw %q: teach test/term/shot these characters", s.name, string(missing))
		}
	}
	frame, files := frames[len(frames)-1], map[string][]byte{}
	if len(s.moments) > 0 {
		var shown []shot.Moment
		for i, m := range s.moments {
			shown = append(shown, shot.Moment{Frame: frames[i], Key: m.keys, Why: m.why, Seconds: m.seconds})
		}
		files["svg"] = shot.Recording(shown, s.still)
	} else {
		files["svg"] = shot.SVG(frame)
		if files["png"], err = shot.PNG(frame); err != nil {
			return nil, fmt.Errorf("scene %s: %w", s.name, err)
		}
	}
	for ext, data := range files {
		if err := write(filepath.Join(dir, s.name+"."+ext), data); err != nil {
			return nil, fmt.Errorf("scene %s: %w", s.name, err)
		}
	}
	return frame, nil
}

// write writes a file unless it has these contents already.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return os.WriteFile(path, data, 0o644)
}
