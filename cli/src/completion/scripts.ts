/**
 * What the shells run. Each asks the program itself what can stand at the cursor (`hostplane complete-words`), so a new
 * operation of the server is completed without a new script.
 */
const bash = `# Put into ~/.bashrc: source <(hostplane completion bash)
_hostplane() {
  local line
  COMPREPLY=()
  # Words that bash splits at = and : are put together again.
  local cur words cword
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  else
    cur="\${COMP_WORDS[COMP_CWORD]}" words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
  fi
  while IFS=$'\\t' read -r line _; do
    COMPREPLY+=("$(printf '%q' "$line")")
  done < <(hostplane complete-words -- "\${words[@]:1:cword}" 2>/dev/null)
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$cur"; fi
  # Without words of its own, bash offers files.
}
complete -o default -F _hostplane hostplane
`;

const zsh = `#compdef hostplane
# Put into ~/.zshrc, after compinit: source <(hostplane completion zsh)
_hostplane() {
  local -a lines described
  local line
  lines=("\${(@f)$(hostplane complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    [[ -z $line ]] && continue
    local value="\${line%%$'\\t'*}" text="\${line#*$'\\t'}"
    described+=("\${value//:/\\\\:}:$text")
  done
  if (( $#described )); then _describe -V hostplane described; else _files; fi
}
compdef _hostplane hostplane
`;

const fish = `# Put into ~/.config/fish/completions/hostplane.fish: hostplane completion fish
function __hostplane_complete
  set -l words (commandline -opc) (commandline -ct)
  hostplane complete-words -- $words[2..-1] 2>/dev/null
end
complete -c hostplane -f -a '(__hostplane_complete)'
`;

export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };
