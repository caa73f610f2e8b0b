package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"rung/release/image"
)

// imageRoot is the root folder of the image for this machine, and how it is run.
func imageRoot(t *testing.T) (string, *v1.ConfigFile) {
	t.Helper()
	needRoot(t)
	top, err := layout.ImageIndexFromPath(unpack(t, one(t, "rung_*_image.tar")))
	if err != nil {
		t.Fatal(err)
	}
	list, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	index, err := top.ImageIndex(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifests.Manifests {
		if m.Platform.OS != "linux" || m.Platform.Architecture != runtime.GOARCH {
			continue
		}
		img, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		root := t.TempDir()
		files := mutate.Extract(img)
		defer files.Close()
		tar := command(t, "tar", "-x", "-p", "--same-owner", "-f", "-", "-C", root)
		tar.Stdin = files
		output(t, tar)
		for _, dir := range []string{root, filepath.Dir(root)} {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return root, config
	}
	t.Fatalf("no image for linux/%s: %+v", runtime.GOARCH, manifests)
	return "", nil
}

// The image's files run as its user, which is not root, also where nothing can be written.
func TestImage(t *testing.T) {
	root, config := imageRoot(t)
	if config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/usr/bin/rung" || config.Created.IsZero() {
		t.Errorf("%+v", config)
	}
	for _, label := range []string{"title", "version", "revision", "created", "licenses", "vendor", "source"} {
		if config.Config.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("no label %s: %v", label, config.Config.Labels)
		}
	}
	run := func(args ...string) string {
		return output(t, inRoot(root, image.User, "/home/rung", append([]string{"/usr/bin/rung"}, args...)...))
	}
	checkVersion(t, run("version"))
	demo(t, root, config.Config.User, "/home/rung", "/usr/bin/rung")

	// A root that cannot be written, but for /tmp.
	home := filepath.Join(root, "home/rung")
	if err := errors.Join(os.RemoveAll(home), os.Mkdir(home, 0o555)); err != nil {
		t.Fatal(err)
	}
	checkVersion(t, run("version"))
	d := console(t, root, config.Config.User, "/home/rung", "/usr/bin/rung", "demo")
	d.WaitFor("/home/rung/.local", "permission denied; --state-dir names")
	d.WaitExit(2)
	demo(t, root, config.Config.User, "/home/rung", "/usr/bin/rung", "--state-dir", "/tmp/rung")
}
