package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/rewrite"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/files"
)

func ApplyCommand(a *command.App) *cobra.Command {
	var c changeFlags
	var path string
	var force bool
	cmd := &cobra.Command{
		Use:   "apply {-f FILE | --change FILE}",
		Short: "Create or update policies from YAML",
		Long: `Create or update policies from YAML. The consequences are shown and confirmed first.

With -f alone, as with kubectl, its documents go to the cluster of your kubeconfig:
a server-side apply of each document with the field manager rung, dry-run by the
server first. A field owned by another manager is a conflict, unless
--force-conflicts takes it over.

With --change, its documents go to the manifests given with -f: in the sandbox, for
as long as the command runs, or in the files with --write-back.`,
		Example: `  rung new quarantine --defaults -f examples/ > new.yaml
  rung apply -f new.yaml --context staging --write
  rung apply --change new.yaml -f examples/ --dry-run
  rung apply --change new.yaml -f examples/ --write-back`,
		Args: command.TakesArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths := []string{path}
			if path == "" && len(a.Flags.Files) > 0 {
				paths, a.Flags.Files = a.Flags.Files, nil
			}
			if force && len(a.Flags.Files) > 0 {
				return errors.New("--force-conflicts is for a cluster: files have no other managers")
			}
			if err := checkCanAsk(a, &c); err != nil {
				return err
			}
			m, err := filesMutation(cmd.Context(), a, paths)
			if err != nil {
				return err
			}
			m.ServerSide, m.Force = true, force
			return makeChange(cmd.Context(), a, &c, func(*revision.Revision) (change.Mutation, error) { return m, nil })
		},
	}
	c.registerTrial(cmd)
	cmd.Flags().StringVar(&path, "change", "", "`FILE` or folder to apply, - for standard input")
	cmd.Flags().BoolVar(&force, "force-conflicts", false, "on a cluster, take over fields that other managers own")
	return cmd
}

// maxChange limits a document to apply, in bytes.
const maxChange = 4 << 20

// filesMutation returns the change that applies files and folders. Folders may hold more than policies.
func filesMutation(ctx context.Context, a *command.App, paths []string) (m change.Mutation, err error) {
	m.Op = change.OpApply
	var all []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.IsDir() {
			all = append(all, p) // reading it reports errors
			continue
		}
		m.Mixed = true
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if slices.Contains(engine.KustomizationNames, d.Name()) {
				return fmt.Errorf("%s is a kustomization; apply what this prints: kubectl kustomize %s", p, words.ShellQuote(filepath.Dir(path)))
			}
			if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
				return err
			}
			switch info, err := os.Stat(path); {
			case err != nil:
				a.PrintNotice(path + ": skipped: broken link")
			case !info.Mode().IsRegular():
				a.PrintNotice(path + ": skipped: " + files.FileKind(info.Mode()) + "; only regular files are read from folders")
			default:
				all = append(all, path)
			}
			return nil
		})
		if err != nil {
			return m, fmt.Errorf("read the change: %w", err)
		}
	}
	for _, p := range all {
		one, err := readChange(ctx, a, p)
		if err != nil {
			return m, err
		}
		if len(m.YAML)+len(one) > maxChange {
			return m, fmt.Errorf("read the changes: more than %d MiB in all", maxChange>>20)
		}
		rewrite.AddText(&m, p, one)
	}
	return m, nil
}

func readChange(ctx context.Context, a *command.App, path string) ([]byte, error) {
	in := a.In
	switch {
	case path == "":
		return nil, errors.New("nothing to apply: give --change FILE (- for standard input), or on a cluster -f FILE")
	case path == "-" && slices.Contains(a.Flags.Files, "-"):
		return nil, errors.New("-f - and --change - cannot both read standard input; put one of them in a file")
	case path != "-":
		if _, err := engine.ParseInput(path); err != nil {
			return nil, fmt.Errorf("read the change: %w", err)
		}
		f, err := files.Open(ctx, path)
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
		return nil, fmt.Errorf("read the change from %s: more than %d MiB", path, maxChange>>20)
	}
	return text, nil
}

// changesPolicy completes a command that changes the policy named by its first argument.
func changesPolicy(a *command.App, cmd *cobra.Command, of func(args []string) (change.Mutation, error)) *cobra.Command {
	var c changeFlags
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := of(args)
		if err != nil {
			return err
		}
		return makeChange(cmd.Context(), a, &c, func(r *revision.Revision) (change.Mutation, error) {
			m.Policy, err = command.ChangeableNamed(r, args[0])
			return m, err
		})
	}
	c.registerTrial(cmd)
	return cmd
}

func DeleteCommand(a *command.App) *cobra.Command {
	return changesPolicy(a, &cobra.Command{
		Use:   "delete POLICY",
		Short: "Delete a policy",
		Long: "Delete a policy. The rows it takes with it, and what they no longer decide, are shown first.\n\nTiers and groups are named " +
			"with their kind: tier/NAME, clustergroup/NAME, group/NAMESPACE/NAME.",
		Example: `  rung delete allow-metrics -f examples/ --dry-run
  rung delete allow-metrics --context staging --write`,
		Args:              command.TakesArgs(0, "POLICY"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
	}, func([]string) (change.Mutation, error) { return change.Mutation{Op: change.OpDelete}, nil })
}

func MoveCommand(a *command.App) *cobra.Command {
	return changesPolicy(a, &cobra.Command{
		Use:   "move POLICY [TIER/]PRIORITY",
		Short: "Change the priority of a policy, or its tier",
		Long: `Change the priority of an AdminNetworkPolicy. The lower number decides first; no two
policies should share one. "rung plan" shows which are free.

Policies in tiers of their plugin's own can also go to another tier: TIER/PRIORITY, or
TIER/ to keep the priority. Their priorities may be fractions: 5.05.`,
		Example: `  rung move blue-asks-green 42 -f examples/ --dry-run
  rung move blue-asks-green 49 -f examples/ --write-back --yes`,
		Args: command.TakesArgs(0, "POLICY", "[TIER/]PRIORITY"),
		ValidArgsFunction: a.CompleteFirst(func(_ *engine.Engine, r *revision.Revision) []string {
			return command.ChoicesOfKind(r, model.Kind.CanMove)
		}),
	}, func(args []string) (change.Mutation, error) {
		m := change.Mutation{Op: change.OpMove}
		err := m.ParsePlace(args[1])
		return m, err
	})
}
