package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rung/test/install"
	"rung/test/term"
)

// Every page reads without a complaint, and says on a terminal without colours what --help says.
func TestManual(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(unpack(t, archive(t, ".tar.gz")), "man", "*.gz"))
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		lint := command(t, "sh", "-c", `gzip -dc "$1" | mandoc -T lint -W warning`, "sh", page)
		command(t, "mandoc")
		if said, err := lint.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", filepath.Base(page), err, said)
		}
		man := command(t, "man", "--warnings", "-l", page)
		man.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "TERM=dumb", "MANPAGER=cat")
		var said strings.Builder
		man.Stderr = &said
		text, err := man.Output()
		if err != nil || said.Len() > 0 {
			t.Errorf("%s: %v\n%s", filepath.Base(page), err, said.String())
		}
		for _, want := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "-h, --help", "print this help"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %s\n%s", filepath.Base(page), want, text)
			}
		}
	}
}

// A page on a terminal, as people open it: with colours, without them, and on a dumb one.
func TestManualOnTerminal(t *testing.T) {
	page := filepath.Join(unpack(t, archive(t, ".tar.gz")), "man", "rung-ladder.1.gz")
	if _, err := exec.LookPath("less"); err != nil {
		t.Log("less is not installed: pages are shown by cat")
	}
	for name, o := range map[string]term.Options{
		"colours": {}, "no colours": {Profile: term.NoColor}, "dumb": {Env: []string{"TERM=dumb", "MANPAGER=cat"}},
	} {
		t.Run(name, func(t *testing.T) {
			// So high that the whole page is on the screen: cat leaves its end there.
			o.Path, o.Args, o.Width, o.Height = install.Server(t, "man"), []string{"-l", page}, 80, 150
			d := term.Start(t, o)
			d.WaitFor("RUNG-LADDER(1)", "rung ladder [flags]")
			if strings.Contains(d.Screen(), "[1m") || strings.Contains(d.Screen(), "\\fB") {
				t.Error(d.Screen())
			}
		})
	}
}
