package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"rung/cli/command"
)

// Times of log lines are local and say so; with --utc they are in UTC. A filter's times of day are those printed.
func TestTimesOfLines(t *testing.T) {
	defer func(l *time.Location) { time.Local = l }(time.Local)
	time.Local = time.FixedZone("JST", 9*60*60)
	const line = `2026-11-03T20:30:01.000Z|00001|acl_log(ovn_pinctrl0)|INFO|name="ANP:watch:Egress:0", verdict=allow, severity=info, ` +
		"direction=from-lport: tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=80,tcp_flags=syn\n"
	for _, c := range []struct{ flags, out, errs string }{
		{"", "2026-11-04 05:30:01.000  ", "rung: times are local (JST), with --utc in UTC\n"},
		{"--utc", "2026-11-03 20:30:01.000Z ", ""},
		{"--since 2026-11-04T05:30", "2026-11-04 05:30:01.000  ", "rung: times are local (JST), with --utc in UTC\n"},
		{"--since 2026-11-03T20:30 --utc", "2026-11-03 20:30:01.000Z ", ""},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"logs", "--log", "-", "--state-dir", t.TempDir()}, strings.Fields(c.flags)...)
		code := runUntil(context.Background(), args, strings.NewReader(line), &out, &errs, nil)
		if code != command.ExitOK || !strings.HasPrefix(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) ||
			c.errs == "" && strings.Contains(errs.String(), "JST") {
			t.Errorf("logs %s: exit %d\n%s%s", c.flags, code, out.String(), errs.String())
		}
	}
}
