# bash completion for stagemill: the program says what the word at the cursor may become.
# SPDX-License-Identifier: MIT
_stagemill() {
  local cur=${COMP_WORDS[COMP_CWORD]} word line rest=$COMP_LINE whole=() files=
  # "=" and ":" are words of their own here: what no blank divides is put together again.
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if ((${#whole[@]})) && [[ -n $word && $rest != [[:blank:]]* ]]; then
      whole[-1]+=$word
    else
      whole+=("$word")
    fi
    rest=${rest#"${rest%%[![:blank:]]*}"}
    rest=${rest#"$word"}
  done
  whole=("${whole[@]:1}")
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
