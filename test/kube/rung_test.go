package kube_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/term"
)

// result is what a command printed and how it ended.
type result struct {
	out, err string
	code     int
}

// rung runs the binary to its end, for at most a minute, with a home of its own.
func rung(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	return rungAt(t, t.TempDir(), stdin, args...)
}

// rungAt is rung with a home that other commands have, too.
func rungAt(t testing.TB, home, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := rungCommand(ctx, t, home, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("rung %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// rungCommand is the binary with its arguments, and a home.
func rungCommand(ctx context.Context, t testing.TB, home string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, install.Binary(t), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "TZ=UTC"}
	for _, v := range []string{"CONFIG", "STATE", "CACHE", "DATA"} {
		cmd.Env = append(cmd.Env, "XDG_"+v+"_HOME="+filepath.Join(home, strings.ToLower(v)))
	}
	return cmd
}

// on are the arguments that let a command work on a cluster as a user.
func on(c *cluster.Cluster, user string, args ...string) []string {
	return append(args, "--kubeconfig", c.Kubeconfig(user))
}

// change runs a command that changes policies as the administrator and says yes.
// It fails the test when the command is refused.
func change(t testing.TB, c *cluster.Cluster, stdin string, args ...string) result {
	t.Helper()
	r := rung(t, stdin, on(c, cluster.Admin, append(args, "--write", "--yes")...)...)
	if r.code != 0 {
		t.Fatalf("rung %s ended with %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r
}

// console opens the console on a cluster in a pseudo-terminal of 120×34.
func console(t *testing.T, c *cluster.Cluster, user string, args ...string) *term.Driver {
	t.Helper()
	return term.Start(t, term.Options{Path: install.Binary(t), Args: on(c, user, args...), Width: 120, Height: 34})
}

// live is an object as the API server has it, with its managed fields.
func live(t testing.TB, c *cluster.Cluster, kind, name string) object {
	t.Helper()
	out, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", kind, name, "-o", "json", "--show-managed-fields")
	must(t, err)
	var o object
	must(t, json.Unmarshal([]byte(out), &o))
	return o
}

// object is a policy, as far as these tests look at it.
type object struct {
	Metadata struct {
		Name, UID, ResourceVersion string
		Annotations                map[string]string
		Labels                     map[string]string
		ManagedFields              []struct{ Manager, Operation, Subresource string }
	}
	Spec struct {
		Priority int
		Ingress  []rule
		Egress   []rule
	}
	Status struct {
		Conditions []condition
	}
}

type rule struct{ Name, Action string }

type condition struct {
	Type, Status, Reason, Message string
}

// managers are the field managers of the object itself, by operation.
func (o object) managers() map[string]string {
	out := map[string]string{}
	for _, f := range o.Metadata.ManagedFields {
		if f.Subresource == "" {
			out[f.Manager] = f.Operation
		}
	}
	return out
}
