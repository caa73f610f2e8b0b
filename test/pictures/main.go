package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"rung/sources/sandbox"
)

func main() {
	bin := flag.String("bin", "bin/rung", "the program to picture")
	out := flag.String("out", "screenshots", "folder for the pictures")
	only := flag.String("only", "", "make only the scenes whose name matches")
	text := flag.Bool("text", false, "print each screen as text too")
	flag.Parse()
	place := cmp.Or(os.Getenv("RUNG_OVN"), sandbox.Auto)
	_, noOVN := sandbox.FindTools(context.Background(), place)
	if err := run(os.Stdout, scenes, site{bin: *bin, ovn: place, noOVN: noOVN, papers: papers}, *out, *only, *text); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// site holds the files and programs that the pictures are made with.
type site struct {
	bin    string
	ovn    string // where OVN is looked for, as --sandbox-ovn has it
	noOVN  error  // why there is none
	papers []paper
}

// run makes the pictures of the scenes whose name matches. A scene that fails
// does not stop the others. One on real OVN is left as it is stored where there is no OVN.
func run(w io.Writer, scenes []scene, with site, out, only string, text bool) error {
	re, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("option -only: %w", err)
	}
	bin, err := filepath.Abs(with.bin)
	if err != nil {
		return err
	}
	var failed []error
	made, kept := 0, []string(nil)
	for _, s := range scenes {
		if !re.MatchString(s.name) {
			continue
		}
		if s.ovn && with.noOVN != nil {
			kept = append(kept, s.name)
			continue
		}
		begin := time.Now()
		frame, err := s.shoot(bin, with.ovn, out)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		made++
		fmt.Fprintf(w, "%-16s %3d×%-3d %s\n", s.name, frame.Width, frame.Height, time.Since(begin).Round(10*time.Millisecond))
		if text {
			fmt.Fprintln(w, frame.Boxed())
		}
	}
	matched := len(kept) > 0
	for _, p := range with.papers {
		if !re.MatchString(p.name) {
			continue
		}
		matched = true
		switch err := p.shoot(bin, out); {
		case errors.Is(err, errNoBrowser):
			fmt.Fprintf(w, "kept as stored: %s: %v\n", p.name, err)
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
		default:
			made++
			fmt.Fprintf(w, "%s\n", p.name)
		}
	}
	if len(kept) > 0 {
		fmt.Fprintf(w, "kept as stored: %s: %v\n", strings.Join(kept, ", "), with.noOVN)
	}
	if made == 0 && len(failed) == 0 && !matched {
		return fmt.Errorf("no scene matches %q", only)
	}
	return errors.Join(failed...)
}
