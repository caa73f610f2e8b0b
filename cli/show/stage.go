package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/model"
)

// stageFlag adds --stage, which narrows an answer to one stage of the pipeline; what
// has the word stage in backquotes. The stage is empty for all.
func stageFlag(cmd *cobra.Command, what string) *model.Stage {
	var names []string
	for _, s := range model.Stages() {
		names = append(names, string(s))
	}
	stage := new(model.Stage)
	cmd.Flags().Func("stage", what+": "+strings.Join(names, ", "), func(text string) error {
		if !slices.Contains(names, text) {
			return fmt.Errorf("want %s", strings.Join(names, ", "))
		}
		*stage = model.Stage(text)
		return nil
	})
	command.CompleteFlag(cmd, "stage", command.FixedWords(names...))
	return stage
}
