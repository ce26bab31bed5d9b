"""What engines are given to store on: SSDs, PMem, files and directories."""
