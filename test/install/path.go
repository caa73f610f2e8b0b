package install

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// OVNPath is a folder for PATH in which the programs of an OVN are found as on a machine
// that has it installed, their schemas beside them. command is how a program of it is
// started from where it lies: each gets a script that does.
func OVNPath(tb testing.TB, command func(ctx context.Context, name string, args ...string) (*exec.Cmd, error)) string {
	tb.Helper()
	prefix := tb.TempDir()
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	bin, share := filepath.Join(prefix, "bin"), filepath.Join(prefix, "share")
	must(os.Mkdir(bin, 0o755))
	for _, name := range []string{"ovn-northd", "ovn-controller", "ovs-vswitchd", "ovsdb-server"} {
		cmd, err := command(tb.Context(), name)
		must(err)
		var line []string
		for _, word := range cmd.Args {
			line = append(line, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
		}
		Script(tb, filepath.Join(bin, name), fmt.Sprintf("exec %s \"$@\"", strings.Join(line, " ")))
	}
	root, err := filepath.Abs(cmp.Or(os.Getenv(OVNVar), "/"))
	must(err)
	for _, name := range []string{"ovn", "openvswitch"} {
		for _, in := range []string{"share", "usr/share", "usr/local/share"} {
			schemas, err := filepath.Glob(filepath.Join(root, in, name, "*.ovsschema"))
			must(err)
			for _, path := range schemas {
				text, err := os.ReadFile(path)
				must(err)
				// Copied: a link that leads out of a folder ends at its root.
				must(os.MkdirAll(filepath.Join(share, name), 0o755))
				must(os.WriteFile(filepath.Join(share, name, filepath.Base(path)), text, 0o644))
			}
		}
	}
	return bin
}

// Script writes a shell script that can be run.
func Script(tb testing.TB, path, body string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		tb.Fatal(err)
	}
}
