package cluster

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
)

// Exec runs a command in a container through the API server, as kubectl exec does, and
// returns what it printed. An error carries stderr.
func (c *Cluster) Exec(ctx context.Context, namespace, pod, container string, command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	url := c.Client.CoreV1().RESTClient().Get().Resource("pods").Namespace(namespace).Name(pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: container, Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec).URL()
	ex, err := remotecommand.NewWebSocketExecutor(c.rest, "GET", url.String())
	if err != nil {
		return "", fmt.Errorf("exec in %s: %w", pod, err)
	}
	var out, errs bytes.Buffer
	if err := ex.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &out, Stderr: &errs}); err != nil {
		return out.String(), fmt.Errorf("%s in %s: %w: %s", command[0], pod, err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}
