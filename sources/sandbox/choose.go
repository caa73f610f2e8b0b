package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"rung/model/clean"
	"rung/sources/sandbox/child"
)

// findServer finds the program a choice means; empty is the built-in server.
func findServer(choice string) (string, error) {
	switch choice {
	case ServerBuiltin:
		return "", nil
	case "", ServerAuto:
		if !child.Supported {
			return "", nil
		}
		// Distributions put it where only root's PATH leads.
		for _, p := range []string{"ovsdb-server", "/usr/sbin/ovsdb-server", "/usr/local/sbin/ovsdb-server"} {
			if path, err := exec.LookPath(p); err == nil {
				return path, nil
			}
		}
		return "", nil
	}
	if !child.Supported {
		return "", errors.New("this system cannot run an ovsdb-server; use --sandbox-ovsdb builtin")
	}
	path, err := exec.LookPath(choice)
	if err != nil {
		return "", fmt.Errorf("looking for the ovsdb-server: %w", err)
	}
	return filepath.Abs(path)
}

// version asks a program for its version: "ovsdb-server 3.1.0".
func version(ctx context.Context, g child.Guard, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, child.ReadyWithin)
	defer cancel()
	out, err := child.Output(ctx, g, exec.CommandContext(ctx, program, "--version"), 4<<10)
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", program, err)
	}
	first, _, _ := strings.Cut(out, "\n")
	words := strings.Fields(clean.Text(first))
	if len(words) < 2 {
		return "", fmt.Errorf("%s prints no version", program)
	}
	return words[0] + " " + words[len(words)-1], nil
}
