package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Variables that steer the tests; `make e2e` sets them.
const (
	ToolsVar = "RUNG_KUBE" // folder with kube-apiserver, etcd and kubectl
)

// root is the folder of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0) //nolint:dogsled // only the file is wanted
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// tool returns the path of a program that `make e2e-tools` builds.
func tool(name string) (string, error) {
	dir := os.Getenv(ToolsVar)
	if dir == "" {
		dir = filepath.Join(root(), "bin", "kube")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w (make e2e-tools builds it)", err)
	}
	return path, nil
}
