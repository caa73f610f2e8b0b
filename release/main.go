package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"rung/release/image"
	"rung/release/licences"
	"rung/release/manual"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run is one step of a release: files before GoReleaser, finish after it.
func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want files or finish")
	}
	flags := flag.NewFlagSet(args[0], flag.ExitOnError)
	root := flags.String("root", "..", "`FOLDER` of the program's source")
	out := flags.String("out", "", "`FOLDER` to write to")
	rung := flags.String("rung", "", "`FILE`: the program, which prints its completions")
	url := flags.String("url", "", "`URL` of the project")
	if err := flags.Parse(args[1:]); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	date, err := commitDate()
	if err != nil {
		return err
	}
	switch args[0] {
	case "files":
		return writeFiles(*root, *out, *rung, date)
	case "finish":
		return finish(*root, *out, *url, date)
	}
	return fmt.Errorf("%s: want files or finish", args[0])
}

// commitDate is the date of the commit, as the Makefile gives it.
func commitDate() (time.Time, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading SOURCE_DATE_EPOCH, the commit's date in seconds: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// writeFiles makes anew the files of every archive and package.
func writeFiles(root, out, rung string, date time.Time) error {
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("removing the files of the last release: %w", err)
	}
	if err := manual.WritePages(filepath.Join(out, "man"), date); err != nil {
		return err
	}
	if err := manual.WriteCompletions(filepath.Join(out, "completions"), rung); err != nil {
		return err
	}
	return licences.Write(root, out)
}

// finish adds the image and the checksums to what GoReleaser has built.
func finish(root, dist, url string, date time.Time) error {
	built, err := readBuilt(dist)
	if err != nil {
		return err
	}
	spec := image.Spec{Version: built.Version, Commit: built.Commit, Date: date, URL: url, Binaries: map[string]string{}, Docs: map[string]string{
		"LICENSE":  filepath.Join(root, "LICENSE"),
		"NOTICE":   filepath.Join(root, "bin", "release-files", "NOTICE"),
		"LICENSES": filepath.Join(root, "bin", "release-files", "LICENSES"),
	}}
	for _, a := range built.Artefacts {
		if a.Type == "Binary" && a.OS == "linux" {
			spec.Binaries[a.Arch] = filepath.Join(root, a.Path)
		}
	}
	if err := image.Write(filepath.Join(dist, "rung_"+built.Version+"_image.tar"), spec); err != nil {
		return err
	}
	if err := licenceSBOMs(root, dist); err != nil {
		return err
	}
	if err := writeSmaller(dist); err != nil {
		return err
	}
	return writeChecksums(dist)
}
