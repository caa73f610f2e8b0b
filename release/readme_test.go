package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// block is the lines of the first code block of a document below a text.
func block(t *testing.T, document, below string) []string {
	t.Helper()
	_, after, found := strings.Cut(document, below)
	_, after, opens := strings.Cut(after, "```\n")
	code, _, ends := strings.Cut(after, "```")
	if !found || !opens || !ends {
		t.Fatalf("README.md has no block below %q", below)
	}
	return strings.Split(strings.TrimSpace(code), "\n")
}

// What the README says first, two lines that install and two that show something, works in a system with
// nothing else, as it stands there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	built, err := readBuilt(dist(t))
	if err != nil {
		t.Fatal(err)
	}
	root := cleanRoot(t)
	output(t, command(t, "cp", archive(t, ".tar.gz"), filepath.Join(root, "root")))
	lines := block(t, string(text), "**Install** from an archive")
	if len(lines) != 2 {
		t.Errorf("%d lines install: %q", len(lines), lines)
	}
	for _, line := range lines {
		line = strings.NewReplacer("VERSION", built.Version, "linux_amd64", runtime.GOOS+"_"+runtime.GOARCH).Replace(line)
		output(t, inRoot(root, 0, "/root", "/bin/sh", "-ec", "cd /root; "+line))
	}
	lines = block(t, string(text), "**Look:**")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "rung demo ") || !strings.HasPrefix(lines[1], "rung ") {
		t.Fatalf("the lines that show something are others: %q", lines)
	}
	begin := time.Now()
	demo(t, root, "0:0", "/root", "/usr/local/bin/rung")
	t.Logf("rung demo, with leaving it: %v", time.Since(begin))
	// Here there is no cluster: it says where it looked, and how to see the demo.
	d := console(t, root, "0:0", "/root", "/usr/local/bin/rung")
	d.WaitFor("kubeconfig")
	d.WaitFor("demo")
	d.Press("q")
}
