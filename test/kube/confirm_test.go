package kube_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// onTrial starts a move on trial and waits until the server has it.
func onTrial(t *testing.T, c *cluster.Cluster, home, name, to, within string) (cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	cmd = rungCommand(t.Context(), t, home, on(c, cluster.Admin, "move", name, to, "--write", "--yes", "--confirm", within)...)
	said = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = said, said
	must(t, cmd.Start())
	for end := time.Now().Add(wait.Patience); !strings.Contains(pending(t, home), `"made":true`); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("nothing is on trial\n%s", said)
		}
	}
	return cmd, said
}

// pending is the text of the pending revert of a home, empty without one.
func pending(t *testing.T, home string) string {
	t.Helper()
	text, err := os.ReadFile(pendingFile(t, home))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

func pendingFile(t *testing.T, home string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(home, "state", "rung", "revert", "*.json"))
	must(t, err)
	if len(all) != 1 {
		return filepath.Join(home, "none")
	}
	return all[0]
}

// ages lets the time of a pending revert be over.
func ages(t *testing.T, home string) {
	t.Helper()
	text := regexp.MustCompile(`"until":"20`).ReplaceAllString(pending(t, home), `"until":"19`)
	must(t, os.WriteFile(pendingFile(t, home), []byte(text), 0o600))
}

// A change made with --confirm is put back at its time, also when the API server is out of
// reach then, or Rung was killed; what kubectl changed meanwhile is left alone.
func TestConfirm(t *testing.T) {
	c := start(t, cluster.Config{})
	must(t, c.Apply(t.Context(), anp("tried", 50, "tenant=blue", "in Deny tenant=red")))
	expect := func(priority int, when string) {
		t.Helper()
		if got := live(t, c, "anp", "tried").Spec.Priority; got != priority {
			t.Fatalf("%s: at %d, want %d", when, got, priority)
		}
	}
	home := t.TempDir()

	cmd, said := onTrial(t, c, home, "tried", "55", "3s")
	expect(55, "on trial")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "reverted: not confirmed within 3s") {
		t.Fatalf("%v\n%s", err, said)
	}
	expect(50, "at its time")

	cmd, said = onTrial(t, c, home, "tried", "56", "60s")
	if r := rungAt(t, home, "", on(c, cluster.Admin, "confirm")...); r.code != 0 || !strings.Contains(r.out, "confirmed") {
		t.Fatalf("%+v", r)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	expect(56, "confirmed")

	// The server does not answer when the time is over.
	cmd, said = onTrial(t, c, home, "tried", "57", "3s")
	must(t, c.StopAPI())
	time.Sleep(5 * time.Second)
	if pending(t, home) == "" {
		t.Error("it waits no longer while the server does not answer")
	}
	must(t, c.ContAPI())
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "reverted: not confirmed within 3s") {
		t.Fatalf("%v\n%s", err, said)
	}
	expect(56, "once the server answers again")

	// Killed: any command of the next Rung says so and puts it back, without --write too.
	kill := func(cmd *exec.Cmd) {
		t.Helper()
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		ages(t, home)
	}
	cmd, _ = onTrial(t, c, home, "tried", "58", "60s")
	expect(58, "on trial")
	kill(cmd)
	r := rungAt(t, home, "", on(c, cluster.Admin, "ladder")...)
	if r.code != 0 || !strings.Contains(r.err, "Move ANP tried from 56 to 58: reverted: not confirmed within 60s") {
		t.Errorf("%+v", r)
	}
	expect(56, "the next start")

	// Somebody else changed it meanwhile.
	cmd, _ = onTrial(t, c, home, "tried", "59", "60s")
	kill(cmd)
	_, err := c.Kubectl(t.Context(), cluster.Admin, "", "patch", "anp", "tried", "--type=merge", "-p", `{"spec":{"priority":77}}`)
	must(t, err)
	was := live(t, c, "anp", "tried").Metadata.ResourceVersion
	r = rungAt(t, home, "", on(c, cluster.Admin, "ladder")...)
	if !strings.Contains(r.err, "not reverted: ANP tried was changed meanwhile and is left alone") || pending(t, home) != "" {
		t.Errorf("%+v", r)
	}
	if now := live(t, c, "anp", "tried"); now.Metadata.ResourceVersion != was || now.Spec.Priority != 77 {
		t.Errorf("%+v", now)
	}
	r = rungAt(t, home, "", on(c, cluster.Admin, "ladder")...)
	if r.err != "" {
		t.Errorf("said again: %s", r.err)
	}
}
