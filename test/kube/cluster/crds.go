package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"rung/test/install"
)

// approval is what the published definitions carry: an API server refuses a
// group below k8s.io without it. The generated ones in sources/manifests/crds do
// not have it.
const (
	approvedBy = "api-approved.kubernetes.io"
	approval   = "https://github.com/kubernetes-sigs/network-policy-api/pull/30"
)

// InstallCRDs installs the definitions of AdminNetworkPolicy,
// BaselineAdminNetworkPolicy (v1alpha1), EgressFirewall, networks and MultiNetworkPolicy and waits
// until they are served.
func (c *Cluster) InstallCRDs(ctx context.Context) error {
	root, err := install.Root()
	if err != nil {
		return err
	}
	var all bytes.Buffer
	for _, pattern := range []string{
		filepath.Join(root, "sources", "manifests", "crds", "*.yaml"),
		filepath.Join(root, "test", "kube", "testdata", "crds", "*.yaml"),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			return fmt.Errorf("no definitions at %s (%w)", pattern, err)
		}
		for _, file := range files {
			text, err := approved(file)
			if err != nil {
				return err
			}
			all.WriteString("---\n")
			all.Write(text)
		}
	}
	if _, err := c.Kubectl(ctx, Admin, all.String(), "create", "-f", "-"); err != nil {
		return err
	}
	_, err = c.Kubectl(ctx, Admin, "", "wait", "--for=condition=Established", "--timeout=30s", "crd", "--all")
	return err
}

// approved reads a definition and adds the annotation.
func approved(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a definition: %w", err)
	}
	var o map[string]any
	if err := yaml.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	meta, _ := o["metadata"].(map[string]any)
	if name, _ := meta["name"].(string); strings.HasSuffix(name, ".k8s.io") {
		notes, _ := meta["annotations"].(map[string]any)
		if notes == nil {
			notes = map[string]any{}
		}
		notes[approvedBy] = approval
		meta["annotations"] = notes
	}
	if text, err = yaml.Marshal(o); err != nil {
		return nil, fmt.Errorf("writing %s: %w", file, err)
	}
	return text, nil
}
