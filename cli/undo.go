package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/history"
	"rung/cli/command"
	"rung/engine"
	"rung/pages/page"
	"rung/revision"
)

type historyOut struct {
	ID       uint64   `json:"id"`
	At       string   `json:"at"`
	By       string   `json:"by"`
	Title    string   `json:"title"`
	Policies []string `json:"policies"`
	Undone   bool     `json:"undone"`
	Undoes   uint64   `json:"undoes,omitempty"`
}

func UndoCommand(a *command.App) *cobra.Command {
	var c changeFlags
	var list bool
	cmd := &cobra.Command{
		Use:   "undo [NUMBER]",
		Short: "Undo the last saved change, or one of --list",
		Long: `Undo the last change made with --write-back or on a cluster, in this or an earlier
run, if the policy is still as the change left it. Otherwise show what changed
meanwhile, and do nothing. A plan is one change: undo reverts all of it, in steps that
never reverse two policies. --list prints the changes. The number of an undo re-applies
its change, like rung redo.`,
		Args: command.TakesArgs(1, "[NUMBER]"),
		Example: `  rung undo -f examples/ --write-back --dry-run
  rung undo --list --context staging`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				if err := checkChangesKept(a); err != nil {
					return err
				}
				return a.AnswerQuery(cmd.Context(), false, command.Query{Answer: historyAnswer})
			}
			return undoOrRedo(cmd.Context(), a, &c, change.OpUndo, args)
		},
	}
	c.registerTrial(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "print the changes that can be undone, newest first")
	return cmd
}

func RedoCommand(a *command.App) *cobra.Command {
	var c changeFlags
	cmd := &cobra.Command{
		Use:   "redo [NUMBER]",
		Short: "Re-apply the last undone change, or that of an undo in rung undo --list",
		Long: `Re-apply the change undone last, if the policy is still as the undo left it; each
further call re-applies the one undone before. Changes undone before a new change
cannot be redone.`,
		Args:    command.TakesArgs(1, "[NUMBER]"),
		Example: `  rung redo -f examples/ --write-back --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return undoOrRedo(cmd.Context(), a, &c, change.OpRedo, args)
		},
	}
	c.registerTrial(cmd)
	return cmd
}

// undoOrRedo undoes or redoes a change of the history: the one with the given number, or the next.
func undoOrRedo(ctx context.Context, a *command.App, c *changeFlags, op change.Op, args []string) error {
	if err := checkChangesKept(a); err != nil {
		return err
	}
	var id uint64
	if len(args) > 0 {
		var err error
		if id, err = strconv.ParseUint(args[0], 10, 64); err != nil || id == 0 {
			return fmt.Errorf("%q is not the number of a change; see: rung undo --list", args[0])
		}
	}
	return makeChange(ctx, a, c, func(*revision.Revision) (change.Mutation, error) {
		return change.Mutation{Op: op, Undo: id}, nil
	})
}

// checkChangesKept rejects undo and redo if no change outlives the program.
func checkChangesKept(a *command.App) error {
	if !a.Flags.WriteBack && len(a.Flags.Files) > 0 {
		return errors.New("undo needs changes written to files: give --write-back")
	}
	return nil
}

func historyAnswer(_ context.Context, e *engine.Engine, _ *revision.Revision) (*command.Answer, error) {
	out := page.MapList(e.History(), func(h history.Entry) historyOut {
		return historyOut{ID: h.ID, At: page.StampText(h.At), By: h.By, Title: h.Title, Undone: h.Undone, Undoes: h.Undoes,
			Policies: page.MapList(h.Objects, func(x history.Object) string { return x.Key.String() })}
	})
	if len(out) == 0 {
		return &command.Answer{Value: out, Text: func(bool) string { return "no changes are kept\n" }}, nil
	}
	t := &command.TextTable{Head: []string{"NUMBER", "AT", "BY", "STATE", "CHANGE"}}
	for _, h := range out {
		state := ""
		switch {
		case h.Undone:
			state = "undone"
		case h.Undoes != 0:
			state = fmt.Sprintf("undid %d", h.Undoes)
		}
		t.AddRow(fmt.Sprint(h.ID), h.At, h.By, state, h.Title)
	}
	return &command.Answer{Value: out, Text: func(bool) string { return t.String() }}, nil
}
