package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kubectl runs the real kubectl as a user and returns what it printed. An error
// carries stderr.
func (c *Cluster) Kubectl(ctx context.Context, user, stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.kubecl, append([]string{"--kubeconfig", c.Kubeconfig(user)}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = []string{"HOME=" + c.Dir, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// Shell runs a script that calls the real kubectl with flags of its own.
func (c *Cluster) Shell(ctx context.Context, script string) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", script)
	cmd.Env = []string{"HOME=" + c.Dir, "PATH=" + filepath.Dir(c.kubecl) + ":" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s\n%s", err, script, out)
	}
	return nil
}

// Apply applies manifests as the administrator, client-side, as people do.
func (c *Cluster) Apply(ctx context.Context, manifests string) error {
	_, err := c.Kubectl(ctx, Admin, manifests, "apply", "-f", "-")
	return err
}
