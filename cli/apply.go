package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"rung/engine"
)

func (a *app) applyCmd() *cobra.Command {
	var c changeFlags
	var change string
	cmd := &cobra.Command{
		Use:   "apply --change FILE",
		Short: "Create or update policies from YAML, with the compiled difference shown first",
		Long: `Apply takes the documents in --change FILE (- for standard input) over the
cluster read with -f. Nothing is written before the consequences were shown and
confirmed. With --write-back the manifests are changed as well; without it the
change lives in the sandbox for as long as the command runs.`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.mayAsk(&c); err != nil {
				return err
			}
			text, err := a.readChange(change)
			if err != nil {
				return err
			}
			return a.change(cmd.Context(), &c, func(*engine.Revision) (engine.Mutation, error) {
				return engine.Mutation{Op: engine.OpApply, YAML: text}, nil
			})
		},
	}
	c.register(cmd)
	cmd.Flags().StringVar(&change, "change", "", "file with the documents to apply, - for standard input")
	return cmd
}

// maxChange bounds a document to apply, in bytes.
const maxChange = 4 << 20

func (a *app) readChange(path string) ([]byte, error) {
	in := a.in
	switch {
	case path == "":
		return nil, errors.New("nothing to apply: give --change FILE, or --change - for standard input")
	case path == "-" && slices.Contains(a.flags.files, "-"):
		return nil, errors.New("standard input cannot be both -f - and --change -: write one of them into a file")
	case path != "-":
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("read the change: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxChange+1))
	if err != nil {
		return nil, fmt.Errorf("read the change from %s: %w", path, err)
	}
	if len(text) > maxChange {
		return nil, fmt.Errorf("read the change from %s: larger than %d MiB", path, maxChange>>20)
	}
	return text, nil
}
