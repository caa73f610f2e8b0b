package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"rung/test/install"
)

// paper is a picture of a page that a browser draws, without what is below its height.
type paper struct {
	name          string
	width, height int
	// html makes the page with the program, in a folder of its own.
	html func(ctx context.Context, bin, scratch string) ([]byte, error)
}

var papers = []paper{
	{commentName, 1280, 820, commentHTML},
	{"report", 1280, 1500, reportHTML},
}

// reportHTML is a report of the demo's policies.
func reportHTML(ctx context.Context, bin, _ string) ([]byte, error) {
	root, err := install.Root()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, bin, "report", "-o", "html", "--at-time", "2026-11-27T09:00:00Z", "--expectations", "examples/expectations.yaml", "-f", "examples/")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 2 { // 2: not all could be judged
		return nil, fmt.Errorf("rung report: %w", err)
	}
	return out, nil
}

// browsers are the programs that draw it, whichever is there.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

var errNoBrowser = errors.New("no browser: " + strings.Join(browsers, ", "))

// shoot makes the picture.
func (p paper) shoot(bin, dir string) error {
	browser := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		return errNoBrowser
	}
	scratch, err := os.MkdirTemp("", "rung-paper")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	page, err := p.html(ctx, bin, scratch)
	if err != nil {
		return err
	}
	in, out := filepath.Join(scratch, "page.html"), filepath.Join(scratch, "page.png")
	if err := os.WriteFile(in, page, 0o600); err != nil {
		return err
	}
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1", "--user-data-dir=" + filepath.Join(scratch, "profile"),
		fmt.Sprintf("--window-size=%d,%d", p.width, p.height), "--screenshot=" + out, "file://" + in}
	if said, err := exec.CommandContext(ctx, browser, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%.500s", browser, err, said)
	}
	picture, err := os.ReadFile(out)
	if err != nil {
		return fmt.Errorf("%s made no picture: %w", browser, err)
	}
	return write(filepath.Join(dir, p.name+".png"), picture)
}
