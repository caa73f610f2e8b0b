package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/blakesmith/ar"
)

// writeSmaller writes a tar.xz for every tar.gz of a release, and compresses what is in packages for
// Debian. The program xz compresses a fifth better than the libraries that GoReleaser has.
func writeSmaller(dist string) error {
	packages, err := filepath.Glob(filepath.Join(dist, "*.deb"))
	if err != nil {
		return fmt.Errorf("looking for packages: %w", err)
	}
	for _, path := range packages {
		if err := compressDeb(path); err != nil {
			return fmt.Errorf("compressing %s with xz: %w", path, err)
		}
	}
	archives, err := filepath.Glob(filepath.Join(dist, "*.tar.gz"))
	if err != nil {
		return fmt.Errorf("looking for archives: %w", err)
	}
	for _, path := range archives {
		if err := recompress(path, strings.TrimSuffix(path, ".gz")+".xz"); err != nil {
			return fmt.Errorf("compressing %s with xz: %w", path, err)
		}
	}
	return nil
}

// recompress writes what a file has in gzip's form in that of xz.
func recompress(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	return compress(plain, to)
}

// compress writes a stream into a file, compressed by xz in one thread: several would give other
// bytes on another machine.
func compress(plain io.Reader, to string) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	xz := exec.Command("xz", "-9", "--threads=1", "--stdout")
	xz.Stdin, xz.Stdout, xz.Stderr = plain, out, os.Stderr
	return xz.Run()
}

// compressDeb compresses the files of a package for Debian in its place: its last member.
func compressDeb(path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	temp := path + ".new"
	out, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if err == nil {
			err = os.Rename(temp, path)
		}
	}()
	w := ar.NewWriter(out)
	if err := w.WriteGlobalHeader(); err != nil {
		return err
	}
	for r := ar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var member []byte
		if strings.TrimSuffix(h.Name, "/") == "data.tar" {
			data := path + ".data"
			if err := compress(r, data); err != nil {
				return err
			}
			member, err = os.ReadFile(data)
			h.Name, h.Size, err = "data.tar.xz", int64(len(member)), errors.Join(err, os.Remove(data))
		} else {
			member, err = io.ReadAll(r)
		}
		if err != nil {
			return err
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(member); err != nil {
			return err
		}
	}
}
