package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs"
	"rung/model/logline"
	"rung/model/words"
)

// logsConfig returns the configuration of rung logs.
func logsConfig(ctx context.Context, a *command.App, follow bool) (engine.Config, error) {
	l := &a.Flags.Log
	if len(l.Paths) == 0 {
		cfg, err := a.EngineConfig(ctx, false, true)
		if err == nil {
			err = l.SetLogFiles(ctx, &cfg)
		}
		return cfg, err
	}
	if slices.Contains(l.Paths, "-") && slices.Contains(a.Flags.Files, "-") {
		return engine.Config{}, errors.New("--log and -f cannot both read standard input")
	}
	cfg, err := a.EngineConfig(ctx, false, a.Flags.TrafficRate() > 0)
	var none *engine.NoClusterError
	if errors.As(err, &none) {
		fmt.Fprintln(a.Err, "rung: "+command.LogsAloneText)
		cfg, err = a.LogsAlone(), nil
	}
	if err != nil {
		return cfg, err
	}
	cfg.LogFiles = logs.Files{Stdin: a.In, Follow: follow, Paced: true, Only: !follow}
	return cfg, l.SetLogFiles(ctx, &cfg)
}

// whyNoLines explains why no ACL line was read: what the log files hold instead, or from when they were read.
func whyNoLines(streams []logline.Stream, since time.Time) string {
	files, lines, acls := 0, uint64(0), uint64(0)
	for i := range streams {
		if s := &streams[i]; s.File != "" {
			files, lines, acls = files+1, lines+s.Lines, acls+s.ACLs
		}
	}
	all := words.Count(files, "log file")
	switch {
	case files == 0:
		return "no log lines; rung ladder shows what logs"
	case acls == 0 && lines > 0 && since.IsZero():
		return "no log lines: " + all + ": " + logs.NoACLLines(lines)
	case !since.IsZero():
		return "no log lines: " + all + ", no ACL line since " + since.Local().Format(time.DateTime) + " (--since)"
	}
	return "no log lines in " + all
}
