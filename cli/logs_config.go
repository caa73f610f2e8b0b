package cli

import (
	"context"
	"errors"
	"fmt"
	"rung/engine"
	"rung/engine/logs"
	"rung/engine/logs/why"
	"rung/model/logline"
	"rung/model/words"
	"slices"
	"time"
)

// logsConfig makes the configuration of rung logs.
func (a *app) logsConfig(ctx context.Context, follow bool) (engine.Config, error) {
	l := &a.flags.log
	if len(l.paths) == 0 {
		cfg, err := a.config(ctx, false, true)
		if err == nil {
			err = l.files(ctx, &cfg)
		}
		return cfg, err
	}
	if slices.Contains(l.paths, "-") && slices.Contains(a.flags.files, "-") {
		return engine.Config{}, errors.New("--log and -f cannot both read standard input")
	}
	cfg, err := a.config(ctx, false, a.flags.rate() > 0)
	var none *engine.NoClusterError
	if errors.As(err, &none) {
		fmt.Fprintln(a.err, "rung: "+logsAloneText)
		cfg, err = a.logsAlone(), nil
	}
	if err != nil {
		return cfg, err
	}
	cfg.LogFiles = logs.Files{Stdin: a.in, Follow: follow, All: true, Only: !follow}
	return cfg, l.files(ctx, &cfg)
}

// noLines says why no ACL line was read: of log files what is in them instead, or from
// when on they were read.
func noLines(streams []logline.Stream, since time.Time) string {
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
		return "no log lines: " + all + ": " + why.NoACLLines(lines)
	case !since.IsZero():
		return "no log lines: " + all + ", no ACL line since " + since.Local().Format(time.DateTime) + " (--since)"
	}
	return "no log lines in " + all
}
