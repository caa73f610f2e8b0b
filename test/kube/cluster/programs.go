package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"rung/test/install"
)

// Variables that steer the tests; `make e2e` sets them.
const (
	ToolsVar = "RUNG_KUBE" // folder with kube-apiserver, etcd and kubectl
)

// tool returns the path of a program that `make e2e-tools` builds.
func tool(name string) (string, error) {
	dir := os.Getenv(ToolsVar)
	if dir == "" {
		root, err := install.Root()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, "bin", "kube")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w (make e2e-tools builds it)", err)
	}
	return path, nil
}
