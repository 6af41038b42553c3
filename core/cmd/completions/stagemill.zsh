#compdef stagemill
# The program says what the word at the cursor may become.
# SPDX-License-Identifier: MIT
_stagemill() {
  local line name
  local -a found files
  while IFS= read -r line; do
    case $line in
    :files) files=(_files) ;;
    :folders) files=(_files -/) ;;
    *)
      name=${${line%%$'\t'*}//:/\\:}
      [[ $line == *$'\t'* ]] && name+=:${line#*$'\t'}
      found+=("$name")
      ;;
    esac
  done < <(stagemill __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe stagemill found
  if (( $#files )); then
    compset -P '*[=:]'
    $files
  fi
}
if [ "$funcstack[1]" = _stagemill ]; then _stagemill "$@"; else compdef _stagemill stagemill; fi
