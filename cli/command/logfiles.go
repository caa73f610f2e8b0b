package command

import (
	"cmp"
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
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

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
	p.StringVar(&l.speed, "speed", "all", "with --log: playback `SPEED` of a stored log: all (at once) or a multiple of its pace, such as 10x")
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

// LogsAloneText names the inputs that are missing when only log files are given.
const LogsAloneText = "no cluster: lines show addresses and ACL names only; -f PATH adds pods and policies"

// LogsAlone returns the configuration of a run on log files alone.
func (a *App) LogsAlone() engine.Config {
	return engine.Config{Mode: revision.Mode{Name: revision.LogsMode, Title: strings.Join(a.Flags.Log.Paths, " ")}, ReadOnly: true,
		Flags: a.Flags.OVN}
}

// PrintUnread prints on stderr which kinds were not read, so that names of ends, policies and rules are unknown.
// It returns ErrUnjudged if any was not.
func (a *App) PrintUnread(r *revision.Revision) error {
	var err error
	for _, o := range revision.UnjudgedOmissions(revision.OmissionsOfObjects(r), a.Flags.AllowUnjudged...) {
		if o.Code == model.OmittedKind {
			a.PrintNoticeOnce(words.CleanLine(o.String()))
			err = ErrUnjudged
		}
	}
	return err
}

// PrintUnreadLogs prints on stderr the nodes whose log is not received, and the log files not read completely;
// only such files are an error. It also counts the lines of the files that are not ACL lines, or were not
// read.
func (a *App) PrintUnreadLogs(e *engine.Engine) error {
	var err error
	var read, other, odd, long uint64
	files := 0
	for _, s := range e.Logs().Streams() {
		odd, long = odd+s.Unparsed, long+s.TooLong
		if s.File != "" {
			files++
			read, other = read+s.Lines, other+s.Lines-s.ACLs-s.Unparsed
		}
		switch {
		case s.File != "" && (!s.IsUp() || s.Error != ""):
			fmt.Fprintf(a.Err, "rung: log file %s: %s\n", s.File, cmp.Or(words.CleanLine(s.Error), string(s.State)))
			if s.State == logline.StreamFailed || s.Error != "" {
				err = ErrPrinted
			}
		case !s.IsUp():
			fmt.Fprintf(a.Err, "rung: log of %s not followed: %s: %s\n", s.Zone, s.State, words.CleanLine(s.Error))
		}
	}
	if other > 0 && other < read {
		fmt.Fprintf(a.Err, "rung: %s of %s in %s not of ACLs\n", words.Thousands(other), words.Count(read, "line"),
			words.Count(files, "log file")+words.OneOrMany(int(min(other, 2)), " is", " are"))
	}
	if odd > 0 {
		fmt.Fprintf(a.Err, "rung: %s could not be read: cut off, or in an unknown form\n", words.Count(odd, "ACL line"))
		err = ErrPrinted
	}
	if long > 0 {
		fmt.Fprintf(a.Err, "rung: %s left out: longer than 64 KiB\n", words.Count(long, "line"))
		err = ErrPrinted
	}
	for i := range a.Flags.Log.passed {
		if !a.printPassedFiles(&a.Flags.Log.passed[i]) {
			err = ErrPrinted
		}
	}
	return err
}

// printPassedFiles prints what was not read below a folder of --log. It returns false for a reason other than
// the files' names.
func (a *App) printPassedFiles(p *logs.PassedFiles) bool {
	say := func(format string, args ...any) {
		fmt.Fprintln(a.Err, "rung: --log "+words.CleanLine(p.Folder)+": "+words.CleanLine(fmt.Sprintf(format, args...)))
	}
	if p.Other > 0 {
		say("%s of %s not read: no log names, or of pods outside the network plugin; name a file to read it anyway",
			words.Thousands(uint64(p.Other)), words.Count(uint64(p.Files), "file")+words.OneOrMany(min(p.Other, 2), " was", " were"))
	}
	if p.Unread > 0 {
		say("%s could not be read: %v", words.Count(p.Unread, "folder"), p.Err)
	}
	if p.Cut {
		say("only the first %s files and folders were looked at", words.Thousands(uint64(logs.MaxFiles)))
	}
	return p.Unread == 0 && !p.Cut
}
