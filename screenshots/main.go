package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	bin := flag.String("bin", "bin/rung", "the program to picture")
	out := flag.String("out", "screenshots", "folder for the pictures")
	only := flag.String("only", "", "make only the scenes whose name matches")
	text := flag.Bool("text", false, "print each screen as text too")
	flag.Parse()
	if err := run(os.Stdout, scenes, *bin, *out, *only, *text); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// run makes the pictures of the scenes whose name matches. A scene that fails
// does not stop the others.
func run(w io.Writer, scenes []scene, bin, out, only string, text bool) error {
	re, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("option -only: %w", err)
	}
	bin, err = filepath.Abs(bin)
	if err != nil {
		return err
	}
	var failed []error
	made := 0
	for _, s := range scenes {
		if !re.MatchString(s.name) {
			continue
		}
		begin := time.Now()
		frame, err := s.shoot(bin, out)
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
	if made == 0 && len(failed) == 0 {
		return fmt.Errorf("no scene matches %q", only)
	}
	return errors.Join(failed...)
}
