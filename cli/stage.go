package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/model"
)

// stageFlag adds --stage, which narrows an answer to one stage of the pipeline.
// The stage is empty for all.
func stageFlag(cmd *cobra.Command, what string) *model.Stage {
	s := new(model.Stage)
	cmd.Flags().Var((*stageValue)(s), "stage", what+": "+strings.Join(stageNames(), ", "))
	completeFlag(cmd, "stage", cobra.FixedCompletions(stageNames(), cobra.ShellCompDirectiveNoFileComp))
	return s
}

func stageNames() (names []string) {
	for _, s := range model.Stages() {
		names = append(names, string(s))
	}
	return names
}

// stageValue is a stage as a flag.
type stageValue model.Stage

// String, Set and Type make it one (pflag.Value).
func (s *stageValue) String() string { return string(*s) }

func (s *stageValue) Set(text string) error {
	if !slices.Contains(stageNames(), text) {
		return fmt.Errorf("want %s", strings.Join(stageNames(), ", "))
	}
	*s = stageValue(text)
	return nil
}

func (s *stageValue) Type() string { return "stage" }
