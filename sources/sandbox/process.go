package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rung/model/words"
)

// ovsdbProcess is a zone's real ovsdb-server. Its database file survives it, so a restart keeps the rows.
type ovsdbProcess struct {
	*Process
	zone string
	db   string
}

func newProcess(zone, program, dir, name string, g Guard, report func(State, error)) *ovsdbProcess {
	file := func(ext string) string { return filepath.Join(dir, name+ext) }
	return &ovsdbProcess{zone: zone, db: file(".db"), Process: NewProcess(ChildConfig{
		Zone: zone, Name: filepath.Base(program), Socket: file(".sock"), Within: StartWithin, Guard: g, Report: report,
		Command: func() *exec.Cmd {
			cmd := exec.Command(program, "-vconsole:warn", "-vsyslog:off", "-vfile:off", "--no-chdir",
				"--unixctl="+file(".ctl"), "--remote=punix:"+file(".sock"), file(".db"))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "OVS_RUNDIR="+dir, "OVS_LOGDIR="+dir, "OVS_DBDIR="+dir)
			return cmd
		}})}
}

// Start writes an empty database and runs a server on it until Close.
func (p *ovsdbProcess) Start(ctx context.Context) error {
	if err := createDatabase(p.db, schemaFile, "the schema"); err != nil {
		return fmt.Errorf("creating the database of zone %s: %w", p.zone, err)
	}
	return p.Process.Start(ctx)
}

// findServer returns the path of the chosen ovsdb-server; empty means the built-in server.
func findServer(goos, choice string) (string, error) {
	missing := words.ServersError(goos)
	switch choice {
	case ServerBuiltin:
		return "", nil
	case "", ServerAuto:
		if missing != nil {
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
	if missing != nil {
		return "", missing
	}
	path, err := exec.LookPath(choice)
	if err != nil {
		return "", fmt.Errorf("looking for the ovsdb-server: %w", err)
	}
	return filepath.Abs(path)
}

// programVersion returns a program's name and version, such as "ovsdb-server 3.1.0".
func programVersion(ctx context.Context, g Guard, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, StartWithin)
	defer cancel()
	out, err := RunOutput(ctx, g, exec.CommandContext(ctx, program, "--version"), 4<<10)
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", program, err)
	}
	first, _, _ := strings.Cut(out, "\n")
	words := strings.Fields(words.CleanText(first))
	if len(words) < 2 {
		return "", fmt.Errorf("%s prints no version", program)
	}
	return words[0] + " " + words[len(words)-1], nil
}
