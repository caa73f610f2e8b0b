package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/model/words"
)

// shells are the shells with a completion script; kubectl completes its plugins in all of them.
var shells = []string{"bash", "zsh", "fish", "powershell", "kubectl"}

// forKubectl is kubectl_complete-rung, which kubectl runs from PATH to complete "kubectl rung".
const forKubectl = "#!/bin/sh\nexec kubectl-rung __complete \"$@\"\n"

// completionCmd prints the script with which a shell asks Rung for completions.
func completionCmd(a *command.App) *cobra.Command {
	var brief bool
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands, flags and names in a shell",
		Long: `Print the script with which a shell completes commands, flags, files for -f, and the
names of policies, pods, namespaces and zones. SHELL is ` + words.Either(shells) + `.

In the shell that runs:
  bash        source <(rung completion bash)          with the package bash-completion
  zsh         source <(rung completion zsh)           after: autoload -U compinit; compinit
  fish        rung completion fish | source
  powershell  rung completion powershell | Out-String | Invoke-Expression

In every new one:
  bash        rung completion bash > ~/.local/share/bash-completion/completions/rung
  zsh         rung completion zsh > "${fpath[1]}/_rung"
  fish        rung completion fish > ~/.config/fish/completions/rung.fish
  powershell  the line above, in the file that $PROFILE names

For "kubectl rung": rung completion kubectl > ~/.local/bin/kubectl_complete-rung, made
executable and on PATH; kubectl asks it.`,
		Example:     "  rung completion bash\n  rung completion zsh --no-descriptions",
		Args:        command.TakesArgs(0, "SHELL"),
		Annotations: command.WithoutAnswer(),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return shells, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Out, !brief)
			case "zsh":
				if brief {
					return root.GenZshCompletionNoDesc(a.Out)
				}
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, !brief)
			case "powershell":
				if brief {
					return root.GenPowerShellCompletion(a.Out)
				}
				return root.GenPowerShellCompletionWithDesc(a.Out)
			case "kubectl":
				_, err := io.WriteString(a.Out, forKubectl)
				return err
			}
			return fmt.Errorf("no completion for shell %q: want %s", args[0], words.Either(shells))
		},
	}
	cmd.Flags().BoolVar(&brief, "no-descriptions", false, "offer names without descriptions")
	return cmd
}

// helpCmd prints the help of a command.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:         "help [COMMAND]",
		Short:       "Print what a command does, its examples and its flags",
		Long:        "Print what a command does, its examples and its flags, as COMMAND --help does.",
		Example:     "  rung help\n  rung help trace",
		Args:        command.TakesArgs(1, "[COMMAND]"),
		Annotations: command.WithoutAnswer(),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					out = append(out, c.Name()+"\t"+c.Short)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0:
				return command.UnknownCommand(cmd.Root(), rest[0])
			}
			return of.Help()
		},
	}
}
