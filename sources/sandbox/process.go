package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"rung/sources/sandbox/child"
)

// process is a zone's real ovsdb-server. Its database file outlives it, so that
// the next one goes on with the same rows.
type process struct {
	*child.Process
	zone string
	db   string
}

func newProcess(zone, program, dir, name string, g child.Guard, report func(ServerState, error)) *process {
	file := func(ext string) string { return filepath.Join(dir, name+ext) }
	return &process{zone: zone, db: file(".db"), Process: child.New(child.Config{
		Zone: zone, Name: filepath.Base(program), Socket: file(".sock"), Guard: g, Report: report,
		Command: func() *exec.Cmd {
			cmd := exec.Command(program, "-vconsole:warn", "-vsyslog:off", "-vfile:off", "--no-chdir",
				"--unixctl="+file(".ctl"), "--remote=punix:"+file(".sock"), file(".db"))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "OVS_RUNDIR="+dir, "OVS_LOGDIR="+dir, "OVS_DBDIR="+dir)
			return cmd
		}})}
}

// Start writes an empty database and runs a server on it until Close.
func (p *process) Start(ctx context.Context) error {
	db, err := emptyDatabase()
	if err == nil {
		err = os.WriteFile(p.db, db, 0o600)
	}
	if err != nil {
		return fmt.Errorf("creating the database of zone %s: %w", p.zone, err)
	}
	return p.Process.Start(ctx)
}
