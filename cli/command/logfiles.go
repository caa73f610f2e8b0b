package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rung/engine"
	"rung/engine/logs"
	"rung/revision"
)

// logFlags choose the log files to read.
type logFlags struct {
	Paths []string
	speed string
	set   *pflag.FlagSet
	// Files and folders below Paths that are not read.
	passed []logs.PassedFiles
}

func (l *logFlags) register(p *pflag.FlagSet) {
	l.set = p
	p.StringArrayVar(&l.Paths, "log", nil, "in the console and rung logs: also read ACL lines of this log: "+
		"`PATH` of a file or folder, glob, or - for standard input (repeatable); rotated and gzipped parts too")
	p.StringVar(&l.speed, "speed", "all", "with --log: `SPEED` of a stored log: all at once, or a multiple of its own "+
		"pace, as 10x")
}

// SetLogFiles sets the log files of a configuration.
func (l *logFlags) SetLogFiles(ctx context.Context, cfg *engine.Config) error {
	speed, err := parseSpeed(l.speed)
	switch {
	case err != nil:
		return err
	case len(l.Paths) == 0 && l.set.Changed("speed"):
		return errors.New("--speed is for stored logs: name one with --log")
	case len(l.Paths) == 0:
		return nil
	}
	cfg.LogFiles.Paths, cfg.LogFiles.Speed = l.Paths, speed
	l.passed, err = AwaitResult(ctx, func() ([]logs.PassedFiles, error) { return logs.CheckFiles(l.Paths) })
	return err
}

// parseSpeed parses a speed; 0 means all at once.
func parseSpeed(s string) (float64, error) {
	if s == "all" {
		return 0, nil
	}
	speed, err := strconv.ParseFloat(strings.TrimSuffix(s, "x"), 64)
	if err != nil || !(speed > 0) || math.IsInf(speed, 0) {
		return 0, fmt.Errorf("--speed %q: want all, or a number above 0, as 10x", s)
	}
	return speed, nil
}

// TrafficRate returns how many connections a second the sandbox makes. With real log lines the default is
// none.
func (f *globalFlags) TrafficRate() float64 {
	if len(f.Log.Paths) > 0 && !f.Log.set.Changed("traffic") {
		return 0
	}
	return f.traffic
}

// ConsoleFiles sets the log files of the console.
func (f *globalFlags) ConsoleFiles(ctx context.Context, cfg *engine.Config) error {
	if slices.Contains(f.Log.Paths, "-") {
		return errors.New("--log -: in the console keys come from standard input; use rung logs, or a file")
	}
	cfg.LogFiles.Follow = true
	return f.Log.SetLogFiles(ctx, cfg)
}

// LogsAloneText names what is missing when log files are the only input.
const LogsAloneText = "no cluster: lines show addresses and ACL names only; -f PATH adds pods and policies"

// LogsAlone returns the configuration of a run on log files alone.
func (a *App) LogsAlone() engine.Config {
	return engine.Config{Mode: revision.Mode{Name: revision.LogsMode, Title: strings.Join(a.Flags.Log.Paths, " ")}, ReadOnly: true,
		Flags: a.Flags.OVN}
}
