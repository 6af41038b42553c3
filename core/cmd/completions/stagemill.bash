# bash completion for stagemill: the program says what the word at the cursor may become.
_stagemill() {
  local cur=${COMP_WORDS[COMP_CWORD]} word line whole=() files=
  # "=" and ":" are words of their own here: what they divide is put together again.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((${#whole[@]})) && [[ $word == [=:] || ${whole[-1]} == *[=:] ]]; then
      whole[-1]+=$word
    else
      whole+=("$word")
    fi
  done
  [[ $cur == [=:] ]] && cur=
  local head=${whole[-1]%"$cur"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :files) files=-f ;;
    :folders) files=-d ;;
    *)
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$head"}")
      ;;
    esac
  done < <(stagemill __complete "${whole[@]}" 2>/dev/null)
  [ -n "$files" ] || return 0
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$files" -- "$cur")
}
complete -F _stagemill stagemill
